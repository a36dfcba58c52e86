"""The show runs, says what its numbers say, and can do without a report, a folder, or its end."""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from dovetail import demo
from dovetail.demo import __main__, comparison, show
from dovetail.demo.changes import Changed, changed_lines, counted, examples
from dovetail.demo.drawing import excerpt
from dovetail.evaluate import evaluate
from dovetail.recipe import Recipe

WORDS = ["the", "talk", "by", "Ada", "Osei", "begins", "at", "3", "pm", "in", "the", "hall"]


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Few splits, data and iterations, and where to write the report."""
    text = demo.path("compare.toml").read_text(encoding="utf-8").replace("emails", "few")
    for name in (*demo.FILES, *demo.RECIPES):
        text = text.replace(f'"{name}"', f'"{demo.path(name)}"')
    text = text.replace("constraints", "max_iterations = 5\nconstraints")
    for key, value in {"splits": 2, "train": 0.5, "sizes": [10]}.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
    (tmp_path / "quick.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(comparison, "path", lambda _: tmp_path / "quick.toml")
    return tmp_path / "report.html"


def console() -> Console:
    return Console(file=io.StringIO(), width=200)


def text_on(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_show(quick: Path) -> None:
    screen = console()
    show.run(screen, quick)
    shown = text_on(screen)
    assert "62 labelled lines" in shown
    assert "made up" in shown
    assert re.search(r"\[SPEAKER Dr\. Vikram Pellegrin [01]\.\d\d\]", shown)
    assert re.search(r"mended +joint +.*\[TITLE .*\n +because +“\w+” MISC rather than", shown)
    assert "compare" in shown[shown.index("Try next") :]
    assert quick.read_text(encoding="utf-8").count("<svg") >= 2

    row = next(line for line in shown.splitlines() if line.startswith("all "))
    none, cascade, joint = map(float, row.split()[1:4])
    for one, other, names in ((cascade, none, "cascade none"), (joint, cascade, "joint cascade")):
        system, against = names.split()
        side = "above" if one > other else "below"
        assert f"{system} is {abs(one - other):.1f} {side} {against}" in shown
    assert cascade > none + 2


def test_results_are_kept_for_a_second_run(quick: Path) -> None:
    first, second = console(), console()
    for screen in (first, second):
        show.Show(screen).comparison(quick)
    assert "earlier run" not in text_on(first)
    assert "earlier run" in text_on(second)
    assert text_on(first).partition("F1")[2] == text_on(second).partition("F1")[2]


def test_no_report_where_it_cannot_be_drawn(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.compare.report.find_spec", lambda _: None)
    screen = console()
    show.Show(screen).comparison(quick)
    assert "pip install 'dovetail[report]'" in text_on(screen)
    assert "overall" in text_on(screen)
    assert not quick.exists()


def test_no_comparison_where_nothing_can_be_written(quick: Path) -> None:
    screen = console()
    show.Show(screen).comparison(quick.parent / "none" / "report.html")
    assert "There is no comparison: cannot write" in text_on(screen)


@pytest.fixture
def handler_restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handler_restored")
def test_interrupted_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pytest.fail("a training would take this for its own end")

    monkeypatch.setattr(show, "run", run)
    assert __main__.main() == 130
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_changed_lines_are_judged_by_their_spans() -> None:
    gold = [["B-X", "O"], ["O", "O"], ["O", "B-X"], ["O", "O"]]
    cascade = [["O", "O"], ["O", "O"], ["B-X", "O"], ["O", "O"]]
    joint = [["B-X", "O"], ["B-X", "O"], ["B-X", "I-X"], ["O", "O"]]
    changes = changed_lines(cascade, joint, evaluate(gold, cascade), evaluate(gold, joint))
    assert [(c.line, c.verdict) for c in changes] == [
        (0, "mended"),
        (1, "broken"),
        (2, "wrong both ways"),
    ]
    assert counted(changes, 4).endswith(
        "3 of 4 lines: 1 are better, 1 worse, 1 as wrong as before."
    )
    assert "the same" in counted([], 4)


def test_examples_are_spread_over_both_kinds() -> None:
    changes = [Changed(n, "mended") for n in range(9)] + [Changed(9, "broken")]
    assert [change.line for change in examples(changes, 3)] == [0, 3, 6, 9]
    assert examples([], 3) == []


@pytest.mark.parametrize(
    ("labels", "first", "after", "expected"),
    [
        ({3: "B-SPEAKER", 4: "I-SPEAKER"}, 3, 5, "the talk by [SPEAKER Ada Osei] begins at 3 …"),
        ({3: "B-SPEAKER", 4: "I-SPEAKER"}, 7, 9, "… [SPEAKER Ada Osei] begins at 3 pm in the hall"),
        ({}, 11, 12, "… pm in the hall"),
    ],
)
def test_excerpt_keeps_spans_whole(
    labels: dict[int, str], first: int, after: int, expected: str
) -> None:
    given = [labels.get(t, "O") for t in range(len(WORDS))]
    assert excerpt(WORDS, given, first, after).plain == expected


def test_both_recipes_have_the_same_tasks() -> None:
    recipe, compared = (Recipe.read(demo.path(f"{name}.toml")) for name in ("recipe", "compare"))
    for task, other in zip(recipe.tasks, compared.tasks, strict=True):
        assert replace(task, data=()) == replace(other, data=())
