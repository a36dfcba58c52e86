"""What is seen of a representation's training: its rounds on stderr, its curves in the end."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.progress import LINE_SECONDS
from dovetail.units import format_duration

if TYPE_CHECKING:
    from rich.table import Table

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 20  # of a curve, in characters


class Rounds:
    """Collects the rounds of each column's training, and shows them as they come."""

    def __init__(self, columns: Sequence[str], n_tokens: int) -> None:
        self.curves: dict[str, dict[str, list[float]]] = {}
        self._columns = columns
        self._n_tokens = n_tokens
        self._began = time.monotonic()
        self._shown_at = 0.0
        self.live = False

    def __call__(self, *given: Any) -> None:
        """A callback for any kind: (progress), (layer, progress), or (pass, moved, likelihood)."""
        if len(given) == 3:
            self._add(self._columns[0], {"likelihood": given[2] / self._n_tokens})
        else:
            column = self._columns[given[0] - 1 if len(given) == 2 else 0]
            progress = given[-1]
            self._add(column, {"likelihood": progress.log_likelihood, **progress.properties})

    def _add(self, column: str, values: dict[str, float]) -> None:
        new = column not in self.curves
        own = self.curves.get(column, {})
        longer = {name: [*own.get(name, ()), value] for name, value in values.items()}
        # Another thread may be drawing: it sees the curves as they were, or the new ones.
        self.curves = {**self.curves, column: {**own, **longer}}
        if not self.live and (new or time.monotonic() - self._shown_at >= LINE_SECONDS):
            self._shown_at = time.monotonic()
            cells = " ".join(f"{k} {v}" for k, v in self._cells(column).items())
            click.echo(f"{column}: {cells}", err=True)

    def _cells(self, column: str) -> dict[str, str]:
        own = self.curves[column]
        latest = {name: f"{values[-1]:.4f}" for name, values in own.items()}
        seconds = format_duration(time.monotonic() - self._began)
        return {"round": str(len(own["likelihood"])), **latest, "time": seconds}

    def render(self) -> Table:
        """The latest round of each column as a table."""
        from rich.table import Table

        table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 3, 0, 0))
        rows = {column: self._cells(column) for column in self.curves}
        if not rows:
            rows = {"beginning": {"time": format_duration(time.monotonic() - self._began)}}
        names = list(dict.fromkeys(name for cells in rows.values() for name in cells))
        for name in ("column", *names):
            table.add_column(name, justify="left" if name == "column" else "right")
        for column, cells in rows.items():
            table.add_row(column, *(cells.get(name, "") for name in names))
        return table


@contextmanager
def show_rounds(columns: Sequence[str], n_tokens: int) -> Iterator[Rounds]:
    """A callback that shows rounds: a live table on a terminal, lines elsewhere."""
    rounds = Rounds(columns, n_tokens)
    if not sys.stderr.isatty():
        yield rounds
        return
    from rich.console import Console
    from rich.live import Live

    rounds.live = True
    console = Console(stderr=True)
    with Live(get_renderable=rounds.render, console=console, refresh_per_second=8, transient=True):
        yield rounds


def sketch(values: Sequence[float]) -> str:
    """A curve as a few characters, blank where it is not finite.

    >>> sketch([1.0, 2.0, 3.0]), sketch([5.0, 5.0])
    ('▁▅█', '▁▁')
    """
    step = max(1.0, len(values) / WIDTH)
    chosen = [values[int(k * step)] for k in range(min(len(values), WIDTH))]
    chosen[-1] = values[-1]
    finite = [value for value in chosen if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(
        BARS[round((value - low) * scale)] if math.isfinite(value) else " " for value in chosen
    )


def describe_curves(curves: dict[str, list[float]]) -> str:
    """All curves of a column in a line: how each begins, goes and ends."""
    parts = [
        f"{name} {values[0]:.3f} {sketch(values)} {values[-1]:.3f}"
        for name, values in curves.items()
    ]
    return ", ".join(parts)
