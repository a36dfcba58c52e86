"""``dovetail tune`` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from dovetail import read
from dovetail.compare import Cell
from dovetail.compare.measures import label_likelihood
from dovetail.compare.tuning import Tuning
from dovetail.corpus import write_conll
from dovetail.pipeline import Pipeline
from representation.texts import news, novel

Run = Callable[..., Result]
SMALL = ["--min-count", 1, "--threads", 1, "--c2", 0.1]
CLASSES = ["--kind", "classes", "--states", "2,3"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_conll(news(12).without_column("half"), tmp_path / "news.conll")
    write_conll(news(12, 5).without_column("half"), tmp_path / "dev.conll")
    write_conll(novel(12), tmp_path / "novel.conll")
    (tmp_path / "raw.txt").write_text("the girl wept\nthe board said so\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(run: Run, *options: object, **how: Any) -> Result:
    return run("tune", "news.conll", "-d", "dev.conll", *SMALL, *options, **how)


def test_table_recipe_and_kept_results(run: Run, folder: Path) -> None:
    first = tune(run, *CLASSES, "--value", "0.5,1")
    lines = first.stdout.splitlines()
    assert lines[0].split()[:4] == ["states", "value", "log-likelihood", "accuracy"]
    rows = [line.split() for line in lines[2:7]]
    scores = [float(row[2 if row[0] != "none" else 1]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert f"classes = {next(row[0] for row in rows if row[0] != 'none')}" in first.stdout
    assert "1 of 5: no representation" in first.stderr
    assert "2 of 5: states 2, value 0.5" in first.stderr
    assert (folder / "tune.results.jsonl").exists()
    again = tune(run, *CLASSES, "--value", "0.5,1")
    assert "of 5" not in again.stderr
    assert again.stdout == first.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--kind", "classes", "--states", "3", "--target", "raw.txt", "--target-format", "text"],
        ["--kind", "hmm", "--states", "3", "--rounds", "3", "--hard", "--columns", "form,tag"],
        ["--kind", "biased", "--states", "3", "--rounds", 3, "--entropy", "1", "--value", 0.5],
        [
            *["--kind", "layered", "--states", "3", "--rounds", "3", "--layers", "2", "--repel", 1],
            *["--target", "novel.conll", "--distance", "1", "--entropy", "0.5", "--sigma", "2"],
            *["--template", "parts_of_speech", "--name", "hidden", "--seed", "3"],
        ],
        [
            *["--kind", "layered", "--states", "3", "--rounds", 3, "--layers", "2", "--repel", 0.1],
            *["--target", "novel.conll", "--distance", "0.01,1", "--entropy", "1", "--sigma", 100],
            *["--scaling", "paper", "--start", "random", "--update", "em", "--rare", "one"],
            *["--rank", "bound"],
        ],
    ],
)
def test_the_recipe_trains_what_was_measured(run: Run, folder: Path, options: list[object]) -> None:
    (folder / "made").mkdir()
    facts = json.loads(tune(run, *options, "--out", "made/best.toml", "--json").stdout)
    first = next(one for one in facts["points"] if one["name"] == facts["best"])
    run("train", "made/best.toml", "-m", "best.dovetail", "--threads", 1)
    pipeline = Pipeline.load(folder / "best.dovetail")
    leaks = [note for note in pipeline.notes_ if "has learned from labels" in note]
    assert not leaks  # the training text has columns that have not seen its labels
    columns = ["form", "tag"] if "--columns" in options else ["word", "label"]
    development = read(folder / "dev.conll", columns=columns)
    for one in pipeline.representations:
        development = one.annotate(development)
    [name] = pipeline.names
    tagger: Any = pipeline[name]
    assert first["likelihood"] == pytest.approx(
        label_likelihood(tagger, development, name), abs=1e-6
    )


@pytest.mark.usefixtures("folder")
def test_points_are_ranked_by_error_and_distance(run: Run) -> None:
    options = ["--kind", "biased", "--states", 3, "--rounds", 3, "--distance", "0,0.3,3"]
    target = ["--target", "novel.conll", "--rank", "bound"]
    found = tune(run, *options, *target).stdout.splitlines()
    assert found[0].split()[:4] == ["states", "distance", "bound", "log-likelihood"]
    rows = [line.split() for line in found[2:6]]
    assert rows[-1][0] == "none"  # which has no states
    bounds = [float(row[2]) for row in rows[:-1]]
    assert bounds == sorted(bounds)
    for row in rows[:-1]:
        error = 1 - float(row[4]) / 100
        assert float(row[2]) == pytest.approx(error + float(row[6]), abs=2e-3)
    assert "share of wrong labels" in "\n".join(found)
    refused = tune(run, *CLASSES, "--rank", "bound", code=2)
    assert "give text of the other, --target" in refused.stderr


def test_a_template_of_ones_own(run: Run, folder: Path) -> None:
    (folder / "own.template").write_text("word\nword[-1]\n")
    found = tune(run, "--kind", "classes", "--states", 3, "--template", "own.template").stdout
    assert 'features = "own.template"' in found
    assert "own.template needs the lines class" in found


@pytest.mark.parametrize("name", ["grid.png", "grid.svg"])
def test_plot(run: Run, folder: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    tune(run, *CLASSES, "--value", "0.1,0.5,1", "--plot", name)
    drawn = (folder / name).read_bytes()
    assert len(drawn) > 1000
    if name.endswith(".svg"):
        assert all(word in drawn.decode() for word in ("states 2", "states 3", "value", "none"))


def test_ctrl_c_shows_what_there_is(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Tuning.work
    done: list[str] = []

    def interrupted(self: Tuning, cell: Cell) -> dict[str, Any]:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(cell.id)
        return work(self, cell)

    monkeypatch.setattr(Tuning, "work", interrupted)
    stopped = tune(run, *CLASSES, "--out", "best.toml", code=130)
    assert "interrupted with 2 of 3 parts done" in stopped.stderr
    assert "classes = 2" in (folder / "best.toml").read_text()
    monkeypatch.setattr(Tuning, "work", work)
    rest = tune(run, *CLASSES)
    assert "3 of 3: states 3" in rest.stderr
    assert "2 of 3" not in rest.stderr


def test_ctrl_c_before_the_first_point(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_tuning: Tuning, _cell: Cell) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tuning, "work", interrupted)
    stopped = tune(run, *CLASSES, code=130)
    assert stopped.stderr.splitlines()[-1] == "dovetail: interrupted"
    assert not (folder / "tune.results.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--entropy", "0.3"], "entropy does not go with the kind hmm"),
        (["--kind", "classes", "--hard"], "soft does not go with the kind classes"),
        (["--kind", "biased", "--distance", "1"], "needs text of the target"),
        (["--kind", "biased"], "needs a bias"),
        (["--label", "pos"], "no column 'pos'"),
        (["--column", "form"], "no column 'form'"),
        (["--target", "gone.conll"], "gone.conll"),
        (["-d", "news.conll"], "news.conll is trained on"),
        (["-d", "novel.conll"], "columns"),
        (["--states", "999"], "more than the"),
        (["--plot", "p.doc", *CLASSES], "a plot ends in .png"),
        (["--plot", "p.png", "--states", "3"], "at least two values"),
        (["--out", "nowhere/best.toml"], "no directory"),
        (["--results", "news.conll"], "it is what is read"),
    ],
)
def test_bad_input(run: Run, folder: Path, options: list[object], words: str) -> None:
    result = tune(run, *options, code=1)
    assert result.stderr.splitlines()[-1].startswith("dovetail: ")
    assert words in result.stderr
    assert not (folder / "nowhere").exists()


def test_wrong_usage(run: Run, folder: Path) -> None:
    assert "--development" in run("tune", folder / "news.conll", "--states", 3, code=2).stderr
    assert "'0.1;0.3' is no list of numbers" in tune(run, "--value", "0.1;0.3", code=2).stderr
    assert "standard input" in tune(run, "--target", "-", code=2).stderr
