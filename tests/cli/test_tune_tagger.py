"""``dovetail tune --kind tagger`` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import dovetail
from dovetail.compare import Cell
from dovetail.compare.tagger_tuning import TaggerTuning
from dovetail.corpus import Corpus, write_conll

Run = Callable[..., Result]
NAMES = ["Ada", "Bob", "Eve", "Kim", "Lea", "Max", "Sam", "Tom", "Uma", "Zoe"]


def text(first: int, n: int) -> Corpus:
    """Sentences with a name of one or two words, in IOB2."""
    words, labels = [], []
    for k in range(first, first + n):
        one, other = NAMES[k % 10], NAMES[(k // 3) % 10]
        words.append([f"w{k}", "said", one, other, "today"] if k % 2 else [f"w{k}", "met", one])
        labels.append(["O", "O", "B-PER", "I-PER", "O"] if k % 2 else ["O", "O", "B-PER"])
    return Corpus.from_lists({"word": words, "ner": labels})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_conll(text(0, 30), tmp_path / "train.conll")
    write_conll(text(30, 20), tmp_path / "dev.conll")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(run: Run, *options: object, **how: Any) -> Result:
    own = ["--kind", "tagger", "--columns", "word,ner", "--threads", 1]
    return run("tune", "train.conll", *own, *options, **how)


@pytest.mark.usefixtures("folder")
def test_cross_validation_ends_with_a_recipe(run: Run) -> None:
    options = ["--c2", "0.01,10", "--scheme", "IOB2,IOBES", "--folds", 2]
    first = tune(run, *options, "--out", "best.toml")
    lines = first.stdout.splitlines()
    assert lines[0].split() == ["c2", "scheme", "log-likelihood", "F1", "accuracy"]
    assert len([line for line in lines if "IOB" in line]) == 4
    assert any(line.lstrip().startswith("defaults") for line in lines)
    assert "labels of 2 folds that were not trained on" in first.stdout
    assert "1 of 10: defaults, fold 1" in first.stderr
    again = tune(run, *options, "--out", "best.toml")
    assert "of 10" not in again.stderr
    assert again.stdout == first.stdout


def test_the_recipe_trains_the_best_point(run: Run, folder: Path) -> None:
    options = ["-d", "dev.conll", "--c1", "0.1", "--c2", "0.5", "--scheme", "IOBES"]
    facts = json.loads(tune(run, *options, "--json", "--out", "best.toml").stdout)
    assert {one["name"] for one in facts["points"]} == {"defaults", "c1 0.1, c2 0.5, scheme IOBES"}
    recipe = folder / "best.toml"
    if facts["best"] == "defaults":
        recipe.write_text(
            recipe.read_text() + 'c1 = 0.1\nc2 = 0.5\nscheme = "IOBES"\n', encoding="utf-8"
        )
    run("train", recipe, "-m", "best.dovetail", "--threads", 1)
    tagger = dovetail.load(folder / "best.dovetail")["ner"]
    assert (tagger.c1, tagger.c2) == (0.1, 0.5)
    assert {*tagger.labels_} == {"O", "S-PER", "B-PER", "E-PER"}
    point = next(one for one in facts["points"] if one["name"] != "defaults")
    scores = run("eval", "best.dovetail", "--columns", "word,ner", "dev.conll", "--json").stdout
    assert json.loads(scores)["layers"]["ner"]["micro"]["f1"] == pytest.approx(point["f1"])


def test_feature_sets_are_tuned(run: Run, folder: Path) -> None:
    (folder / "own.template").write_text("word\nword[-1]\n")
    facts = json.loads(
        tune(run, "-d", "dev.conll", "--template", "own.template,default,newswire", "--json").stdout
    )
    names = {one["name"] for one in facts["points"]}
    assert names >= {"features own.template", "features default", "features newswire"}
    scores = {one["name"]: one["likelihood"] for one in facts["points"]}
    assert scores["features default"] == scores["defaults"]
    assert len({*scores.values()}) == 3


@pytest.mark.usefixtures("folder")
def test_ctrl_c_leaves_out_points_without_all_folds(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = TaggerTuning.work
    done: list[str] = []

    def interrupted(self: TaggerTuning, cell: Cell) -> dict[str, Any]:
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(cell.id)
        return work(self, cell)

    monkeypatch.setattr(TaggerTuning, "work", interrupted)
    stopped = tune(run, "--c2", "0.1,1", "--folds", 2, code=130)
    assert "interrupted with 5 of 6 parts done; the same command does the rest" in stopped.stderr
    rows = [line.split()[0] for line in stopped.stdout.splitlines()[2:4]]
    assert {*rows} == {"defaults", "0.1"}
    monkeypatch.setattr(TaggerTuning, "work", work)
    assert "6 of 6: c2 1, fold 2" in tune(run, "--c2", "0.1,1", "--folds", 2).stderr


def test_copies_of_training_text_are_told(run: Run, folder: Path) -> None:
    train, some = text(0, 30), text(1, 1)
    write_conll(Corpus.concatenate([text(30, 20), some]), folder / "dev.conll")
    told = tune(run, "-d", "dev.conll", "--c2", "1").stderr
    words = (
        "1 of 21 sequences of the development text also occur in the training text, 1 of them word"
    )
    assert words in told
    assert "such as sequence 21, 'w1 said Bob Ada today'" in told
    write_conll(Corpus.concatenate([train, some]), folder / "train.conll")
    options = ["--c2", "1", "--folds", 2]
    divided = tune(run, *options).stderr
    assert "2 of 31 sequences are copies or near copies of others, such as sequences 2" in divided
    assert "--group-copies prevents it" in divided
    assert "copies" not in tune(run, *options, "--group-copies").stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "words", "code"),
    [
        (["--c2", "1", "--states", "3"], "--states does not go with --kind tagger", 2),
        (["--c2", "1", "--target", "dev.conll"], "--target does not go with --kind tagger", 2),
        (["--c2", "much"], "--c2 is much; give auto or a number of at least 0", 2),
        (["--scheme", "BIO"], "there is no scheme 'BIO'; choose from IOB1, IOB2, IOBES", 1),
        (["--c2", "1", "--folds", "31"], "30 sequences cannot be divided into 31 folds", 1),
        (["--c2", "1", "--folds", 2, "-d", "dev.conll"], "leave out --development", 2),
        (["--c2", "1", "--label", "pos"], "no column 'pos'", 1),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run: Run, options: list[object], words: str, code: int
) -> None:
    assert words in tune(run, *options, code=code).stderr


@pytest.mark.usefixtures("folder")
def test_without_any_option_penalties_of_a_tagger_are_tried(run: Run) -> None:
    lines = run("tune", "train.conll").stdout.splitlines()
    assert lines[0].split() == ["c2", "log-likelihood", "F1", "accuracy"]
    assert {line.split()[0] for line in lines[2:6]} == {"defaults", "0.01", "0.1", "1"}


@pytest.mark.usefixtures("folder")
def test_a_representation_still_needs_development_text(run: Run) -> None:
    told = run("tune", "train.conll", "--kind", "classes", "--states", 3, code=2).stderr
    assert "a representation needs text to choose on: give --development" in told
    own = ["--states", 3, "--c2", "1,2"]
    told = run("tune", "train.conll", "-d", "dev.conll", *own, code=2).stderr
    assert "--c2 takes several values with --kind tagger only" in told
