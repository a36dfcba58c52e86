"""``dovetail compare`` through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dovetail.cli import main
from dovetail.corpus import write_conll
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
    assert "interrupted" in stopped.stderr
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
