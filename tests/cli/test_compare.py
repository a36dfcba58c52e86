"""``dovetail compare`` through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dovetail.cli import main
from dovetail.corpus import Corpus, write_conll
from pipeline.conftest import only, random_corpus

RECIPE = """
[[task]]
name = "low"
data = "low.conll"
columns = ["word", "low"]

[[task]]
name = "up"
data = "up.conll"
columns = ["word", "up"]

[compare]
systems = ["none", "cascade", "joint"]
splits = 2
sizes = [6]
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    write_conll(only(random_corpus(30, seed=1, longest=7), "word", "low"), tmp_path / "low.conll")
    write_conll(only(random_corpus(24, seed=2, longest=8), "word", "up"), tmp_path / "up.conll")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def invoke(*arguments: Any) -> Any:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


def test_table_report_and_kept_results(recipe: Path) -> None:
    first = invoke(recipe)
    assert first.exit_code == 0, first.output
    assert all(system in first.stdout for system in ("none", "cascade", "joint"))
    assert "1 of 12: none, split 0" in first.stderr
    page = recipe.with_suffix(".html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    again = invoke(recipe, "--json", "--no-html")
    assert again.exit_code == 0, again.output
    assert "of 12" not in again.stderr
    assert json.loads(again.stdout)["facts"]["task"] == "up"


def test_an_interrupted_comparison_goes_on(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dovetail.compare.experiment import Experiment

    work = Experiment.work
    done = []

    def interrupted(self: Experiment, cell: Any) -> Any:
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(cell.id)
        return work(self, cell)

    monkeypatch.setattr(Experiment, "work", interrupted)
    stopped = invoke(recipe, "--no-html")
    assert stopped.exit_code == 130
    kept = recipe.with_suffix(".results.jsonl")
    assert stopped.stderr.splitlines()[-1] == (
        f"dovetail: interrupted with 4 of 12 parts done, which are kept in {kept}; the same "
        "command does the rest"
    )
    monkeypatch.setattr(Experiment, "work", work)
    rest = invoke(recipe, "--no-html")
    assert rest.exit_code == 0
    assert "5 of 12" in rest.stderr
    assert "4 of 12" not in rest.stderr


def test_changed_data_is_computed_anew(recipe: Path) -> None:
    invoke(recipe, "--no-html")
    write_conll(
        only(random_corpus(24, seed=3, longest=8), "word", "up"), recipe.parent / "up.conll"
    )
    assert "1 of 12" in invoke(recipe, "--no-html").stderr


def test_bad_input_is_one_sentence(recipe: Path, tmp_path: Path) -> None:
    assert "dovetail:" in invoke(tmp_path / "no.toml").stderr
    (tmp_path / "other.jsonl").write_text("hello\n", encoding="utf-8")
    found = invoke(recipe, "--results", tmp_path / "other.jsonl")
    assert found.exit_code == 1
    assert "holds something else than results of a comparison" in found.stderr


DRAWS = RECIPE.replace(
    "splits = 2\nsizes = [6]", 'test = "test.conll"\nsizes = [4, 12, 24]\ndraws = 3'
)


def test_draws_of_small_samples_and_one_test_text(recipe: Path) -> None:
    test = only(random_corpus(15, seed=7, longest=8), "word", "up")
    write_conll(test, recipe.parent / "test.conll")
    recipe.write_text(DRAWS.replace(', "joint"', ""), encoding="utf-8")
    found = invoke(recipe, "--no-html", "--json")
    assert found.exit_code == 0, found.output
    summary = json.loads(found.stdout)
    assert summary["sizes"] == [4, 12, 24]
    splits = {score["size"]: score["f1"]["n_splits"] for score in summary["scores"]}
    assert splits == {4: 3, 12: 3, 24: 1}  # all of the text is the same in every draw
    assert "1 of 14: none, split 0, size 24" in found.stderr
    assert summary["facts"]["draws"] == "3 random samples of each size"
    shown = invoke(recipe, "--no-html").stdout
    assert "with 12 sequences, cascade" in shown
    more = recipe.read_text(encoding="utf-8").replace("draws = 3", "draws = 4")
    recipe.write_text(more, encoding="utf-8")
    assert "15 of 18: none, split 3, size 12" in invoke(recipe, "--no-html").stderr


@pytest.mark.parametrize(
    ("compare", "words"),
    [
        ("splits = 2\ndraws = 3", "give test and sizes too"),
        ('test = "up.conll"\ndraws = 3', "give test and sizes too"),
        ('test = "up.conll"\ngroup_copies = true', "group_copies is for splits"),
    ],
)
def test_keys_that_do_not_go_together(recipe: Path, compare: str, words: str) -> None:
    recipe.write_text(RECIPE.replace("splits = 2\nsizes = [6]", compare), encoding="utf-8")
    found = invoke(recipe, "--no-html")
    assert found.exit_code == 1
    assert words in found.stderr


def test_differences_that_cannot_be_significant_are_told_first(recipe: Path) -> None:
    found = invoke(recipe, "--no-html")
    words = (
        "dovetail: with 2 splits and 6 sequences to train on, a difference has to be 20 times its "
        "standard deviation to be significant, which is out of reach: take more splits, or a "
        "larger share to train on"
    )
    assert words in found.stderr.splitlines()


def test_test_text_that_is_trained_on_is_told(recipe: Path) -> None:
    text = RECIPE.replace("splits = 2\nsizes = [6]", 'test = "up.conll"')
    recipe.write_text(text, encoding="utf-8")
    found = invoke(recipe, "--no-html")
    assert "sequences of the test text also occur in the training text" in found.stderr
    assert "word for word" in found.stderr


def test_near_copies_stay_on_one_side(recipe: Path) -> None:
    corpus = only(random_corpus(12, seed=2, longest=8), "word", "up")
    write_conll(Corpus.concatenate([corpus, corpus]), recipe.parent / "up.conll")
    told = invoke(recipe, "--no-html").stderr
    assert "of 24 sequences are copies or near copies of others, such as sequences" in told
    assert "group_copies = true in [compare] prevents it" in told
    recipe.write_text(RECIPE + "group_copies = true\n", encoding="utf-8")
    grouped = invoke(recipe, "--no-html", "--json")
    assert grouped.exit_code == 0, grouped.output
    assert "copies" not in grouped.stderr
    assert "1 of 12" in grouped.stderr  # other splits, other results
    facts = json.loads(grouped.stdout)["facts"]
    assert facts["copies"] == "near copies are on one side of every split"


def test_the_report_says_what_was_compared(recipe: Path) -> None:
    settings = 'name = "up"\nc2 = 0.3\nfeatures = "newswire"'
    text = RECIPE.replace('name = "up"', settings).replace("[[task]]", "seed = 7\n[[task]]", 1)
    recipe.write_text(text, encoding="utf-8")
    found = invoke(recipe, "--json")
    assert found.exit_code == 0, found.output
    facts = json.loads(found.stdout)["facts"]
    assert (facts["features"], facts["penalty"], facts["seed"]) == ("newswire", "c1 0.0, c2 0.3", 7)
    page = recipe.with_suffix(".html").read_text(encoding="utf-8")
    assert "c1 0.0, c2 0.3" in page
    if "Decisions that changed" in page:
        assert "the label that cascade gives it and the one that" in page
