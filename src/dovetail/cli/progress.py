"""What is seen of a training: a live table on a terminal, plain lines elsewhere, both on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, takewhile
from math import log
from statistics import linear_regression
from typing import TYPE_CHECKING, NamedTuple, Protocol

import click

from dovetail.units import format_duration, format_percentage

if TYPE_CHECKING:
    from rich.table import Table

    from dovetail.chain.train.steps import Progress

LINE_SECONDS = 2
TREND_ROUNDS = 10
FARTHEST = 2  # times what a training took so far: beyond, an estimate is a guess


class Display(Protocol):
    """Shows what is being done, and is a training's callback."""

    def announce(self, what: str) -> None:
        """Say what is being done before training begins."""

    def __call__(self, progress: Progress) -> None:
        """Show one round of the training."""


@contextmanager
def show_progress(tolerance: float, max_iterations: int | None) -> Iterator[Display]:
    """A display for one training."""
    if not sys.stderr.isatty():
        lines = Lines(tolerance, max_iterations)
        yield lines
        lines.close()
        return
    from rich.console import Console
    from rich.live import Live

    table = LiveTable(tolerance, max_iterations)
    console = Console(stderr=True)
    with Live(get_renderable=table.render, console=console, refresh_per_second=8, transient=True):
        yield table


class Lines:
    """A line for the first round, for the last, and every two seconds between."""

    def __init__(self, tolerance: float, max_iterations: int | None, title: str = "") -> None:
        self._limits = tolerance, max_iterations
        self._title = title
        self._history: list[Progress] = []
        self._shown: Progress | None = None
        self._shown_at = 0.0

    def announce(self, what: str) -> None:
        click.echo(what, err=True)

    def __call__(self, progress: Progress) -> None:
        self._history.append(progress)
        if self._shown is None or time.monotonic() - self._shown_at >= LINE_SECONDS:
            self._show()

    def close(self) -> None:
        """Show the last round, unless it is there already."""
        if self._history and self._history[-1] is not self._shown:
            self._show()

    def _show(self) -> None:
        self._shown, self._shown_at = self._history[-1], time.monotonic()
        cells = describe_round(self._history, *self._limits)
        phase, rest = cells.pop("phase"), " ".join(f"{k} {v}" for k, v in cells.items() if v)
        click.echo(f"{self._title}{phase}: {rest}", err=True)


class LiveTable:
    """The latest round as a table of one row that is redrawn in place."""

    def __init__(self, tolerance: float, max_iterations: int | None) -> None:
        self._limits = tolerance, max_iterations
        self._history: list[Progress] = []
        self._what = ""
        self._since = time.monotonic()

    def announce(self, what: str) -> None:
        self._what, self._since = what, time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if not self._history:
            self._since = time.monotonic() - progress.seconds
        self._history.append(progress)

    def render(self) -> Table:
        """The table as it stands now; the time goes on between rounds."""
        from rich.table import Table

        cells = {"phase": self._what}
        if self._history:
            cells = describe_round(self._history, *self._limits)
        cells["time"] = format_duration(time.monotonic() - self._since)
        if self._history and self._history[-1].held_out is None:
            del cells["held-out"]
        table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 3, 0, 0))
        for name in cells:
            table.add_column(name, justify="left" if name == "phase" else "right")
        table.add_row(*cells.values())
        return table


def describe_round(
    history: Sequence[Progress], tolerance: float, max_iterations: int | None
) -> dict[str, str]:
    """The latest round in words, empty where a method does not know a number."""
    now = history[-1]
    left = seconds_left(history, tolerance, max_iterations)
    return {
        "phase": now.phase,
        "iteration": str(now.iteration),
        "loss": "" if now.objective is None else f"{now.objective:,.2f}",
        "gradient": "" if now.gradient_norm is None else f"{now.gradient_norm:.3g}",
        "gap": "" if now.gap is None or now.gap > 1 else format_percentage(now.gap),
        "held-out": "" if now.held_out is None else f"{100 * now.held_out:.2f}",
        "time": format_duration(now.seconds),
        "left": f"~{format_duration(left)}" if left else "",
    }


def seconds_left(
    history: Sequence[Progress], tolerance: float, max_iterations: int | None
) -> float | None:
    """How long a training may still take, or None where that cannot be told.

    The smallest gap so far shrinks by about the same factor in the same time, so its trend over the
    later half of a phase is carried on to the tolerance; not far beyond what has been seen. A limit
    of iterations bounds the time too.
    """
    now = history[-1]
    guesses = []
    if max_iterations is not None and now.iteration > 0:
        guesses.append((max_iterations - now.iteration) * now.seconds / now.iteration)
    seconds, gaps = _smallest_gaps(history)
    if len(gaps) > 2 and tolerance > 0:
        later = len(gaps) // 2 if len(gaps) >= 2 * TREND_ROUNDS else 0
        trend = _fit_line(seconds[later:], [log(gap) for gap in gaps[later:]])
        if trend is not None and trend.slope < 0:
            left = max((log(tolerance) - trend.end) / trend.slope, 0.0)
            if left <= FARTHEST * now.seconds:
                guesses.append(left)
    return min(guesses, default=None)


def _smallest_gaps(history: Sequence[Progress]) -> tuple[list[float], list[float]]:
    """When the rounds of the present phase ended, and the smallest gap up to each of them."""
    phase = history[-1].phase
    rounds = [p for p in takewhile(lambda p: p.phase == phase, reversed(history)) if p.gap]
    rounds.reverse()
    return [p.seconds for p in rounds], list(accumulate((p.gap or 0.0 for p in rounds), min))


class _Line(NamedTuple):
    """A line through points: how steep it is, and its value at the last of them."""

    slope: float
    end: float


def _fit_line(x: Sequence[float], y: Sequence[float]) -> _Line | None:
    """The line of least squares; None where all points stand above one another."""
    if x[0] == x[-1]:
        return None
    slope, intercept = linear_regression(x, y)
    return _Line(slope, intercept + slope * x[-1])
