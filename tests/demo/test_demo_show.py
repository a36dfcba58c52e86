"""The show runs, says what its numbers say, and can do without a report, a folder, or its end."""

from __future__ import annotations

import io
import re
import signal
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from dovetail import demo
from dovetail.demo import __main__, comparison, show
from dovetail.recipe import Recipe


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A comparison with few lines and iterations, and where to write the report."""
    text = demo.path("recipe.toml").read_text(encoding="utf-8")
    for name in demo.FILES:
        text = text.replace(f'"{name}"', f'"{demo.path(name)}"')
    text = re.sub("^(data = .*few.*)$", r"\1\nmax_iterations = 5", text, flags=re.MULTILINE)
    text = re.sub("^sizes = .*$", "sizes = [20]", text, flags=re.MULTILINE)
    (tmp_path / "quick.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(comparison, "path", lambda _: tmp_path / "quick.toml")
    return tmp_path / "report.html"


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=200, force_terminal=terminal)


def text_on(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_show(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen = console()
    show.run(screen, quick)
    shown = text_on(screen)
    assert "made up" in shown
    rows = re.findall(r"^ +(20|62) +([\d.]+) +([\d.]+) *$", shown, re.MULTILINE)
    assert [size for size, *_ in rows] == ["20", "62"]
    assert float(rows[1][2]) > float(rows[1][1]) + 5
    assert re.search(r"\[DATE Tuesday, 6 August 0\.\d\d\] \[SPEAKER Isaac Zawada 0\.\d\d\]", shown)
    assert re.search(r"\[SPEAKER Dr\. Vikram Pellegrin [01]\.\d\d\]", shown)
    assert "compare" in shown[shown.index("Try next") :]
    assert len(shown.splitlines()) < 40
    assert quick.read_text(encoding="utf-8").count("<svg") >= 1
    assert capsys.readouterr() == ("", "")


def test_results_are_kept_for_a_second_run(quick: Path) -> None:
    first, second = console(), console()
    show.show_comparison(first, quick)
    written = quick.with_suffix(".jsonl").read_bytes()
    show.show_comparison(second, quick)
    assert text_on(first) == text_on(second)
    assert quick.with_suffix(".jsonl").read_bytes() == written


@pytest.mark.parametrize(
    ("terminal", "display", "opened"), [(True, ":0", 1), (True, "", 0), (False, ":0", 0)]
)
def test_a_browser_opens_only_for_somebody_at_a_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool, display: str, opened: int
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(webbrowser, "open", calls.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    comparison.open_report(tmp_path / "report.html", console(terminal=terminal))
    assert len(calls) == opened
    assert all(call.startswith("file://") for call in calls)


def test_no_report_where_it_cannot_be_drawn(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.compare.report.find_spec", lambda _: None)
    screen = console()
    show.show_comparison(screen, quick)
    assert "pip install 'dovetail[report]'" in text_on(screen)
    assert "labelled lines" in text_on(screen)
    assert not quick.exists()


def test_no_comparison_where_nothing_can_be_written(quick: Path) -> None:
    screen = console()
    show.show_comparison(screen, quick.parent / "none" / "report.html")
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


def test_both_recipes_have_the_same_tasks() -> None:
    recipe, compared = (Recipe.read(demo.path(f"{name}.toml")) for name in ("recipe", "compare"))
    for task, other in zip(recipe.tasks, compared.tasks, strict=True):
        assert replace(task, data=()) == replace(other, data=())
