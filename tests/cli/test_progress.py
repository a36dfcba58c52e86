"""What is seen of a training."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dovetail.chain.train.steps import Progress
from dovetail.cli.progress import Lines, LiveTable, describe_round, seconds_left, show_progress


def round_at(iteration: int, gap: float | None, phase: str = "dual") -> Progress:
    return Progress(iteration, phase, 1234.5, 0.5, gap, 0.9, 10, float(iteration))


def test_time_left_follows_the_gap() -> None:
    history = [round_at(i, 10.0**-i) for i in range(1, 4)]
    assert seconds_left(history, 1e-5, None) == pytest.approx(2)
    assert seconds_left(history, 1e-2, None) == 0
    assert seconds_left(history, 1e-5, max_iterations=4) == pytest.approx(1)


def test_time_left_is_steady_where_the_gap_is_not() -> None:
    noise = [1.0, 3.0, 0.5, 6.0, 1.5, 0.8, 4.0]
    gaps = [10 ** (-i / 10) * noise[i % len(noise)] for i in range(1, 60)]
    history = [round_at(i, gap) for i, gap in enumerate(gaps, 1)]
    shown = [seconds_left(history[:n], 1e-6, None) for n in range(25, 60)]
    assert all(left is not None for left in shown)
    for number, left in enumerate(shown, 25):
        assert left == pytest.approx(60 - number, abs=8)  # what it takes from 10 ** (-n / 10)


def test_a_gap_that_hardly_falls_gives_no_estimate() -> None:
    stalled = [round_at(i, 0.5 - 1e-6 * i) for i in range(1, 50)]
    assert seconds_left(stalled, 1e-3, None) is None


def test_time_left_is_not_made_up() -> None:
    assert seconds_left([round_at(1, 0.1)], 1e-3, None) is None
    rising = [round_at(i, 0.1 * i) for i in range(1, 5)]
    assert seconds_left(rising, 1e-3, None) is None
    assert seconds_left([round_at(i, None) for i in range(1, 5)], 1e-3, None) is None
    mixed = [round_at(1, 0.1, "sgd"), round_at(2, 0.01), round_at(3, 0.001)]
    assert seconds_left(mixed, 1e-4, None) is None


def test_a_round_in_words() -> None:
    cells = describe_round([round_at(1, 0.0123)], 1e-3, None)
    assert cells["loss"] == "1,234.50"
    assert cells["gap"] == "1.23%"
    assert cells["held-out"] == "90.00"
    bare = Progress(1, "sgd", None, None, None, None, 10, 0.5)
    assert set(describe_round([bare], 1e-3, None).values()) == {"sgd", "1", "", "0.5 s"}


def test_lines_are_few_but_the_last_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(1e-3, None)
    for i in range(1, 100):
        lines(round_at(i, 0.1))
    lines(round_at(100, 0.1, "l-bfgs"))
    lines(round_at(101, 0.1, "l-bfgs"))
    lines.close()
    shown = capsys.readouterr().err.splitlines()
    assert [line.split(" loss")[0] for line in shown] == [
        "dual: iteration 1",
        "l-bfgs: iteration 101",
    ]


def test_live_table() -> None:
    table = LiveTable(1e-3, None)
    table.announce("reading a file")
    console = Console(file=io.StringIO(), width=100)
    console.print(table.render())
    table(round_at(7, 0.05))
    console.print(table.render())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "reading a file" in shown
    assert "1,234.50" in shown
    assert "held-out" in shown


def test_no_terminal_means_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(1e-3, None) as display:
        display.announce("reading")
        display(round_at(1, 0.5))
    assert capsys.readouterr().err.startswith("reading\ndual: iteration 1 ")
