"""What is seen of the training of a pipeline: the same as of a tagger, task after task."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from dovetail.cli.progress import Lines, describe_round
from dovetail.units import format_duration

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from dovetail.chain.train.steps import Progress

Limits = Callable[[str], tuple[float, int | None]]
"""The tolerance and the most iterations of a task."""
PART = ", without part "  # in the names of models that are trained for cross-fitting


def task_of(title: str) -> str:
    """The task that a training is for.

    >>> task_of("ner, without part 2 of 5")
    'ner'
    """
    return title.partition(PART)[0]


class TaskDisplay(Protocol):
    """Shows what is being done, and is the callback of a pipeline's training."""

    def announce(self, what: str) -> None:
        """Say what is being done before training begins."""

    def note(self, text: str) -> None:
        """Say something that is worth knowing."""

    def __call__(self, title: str, progress: Progress) -> None:
        """Show one round of one task's training."""


@contextmanager
def show_tasks(limits: Limits) -> Iterator[TaskDisplay]:
    """A display for the training of several tasks, which is also told what the pipeline notes."""
    if not sys.stderr.isatty():
        lines = TaskLines(limits)
        with _show_notes(lines):
            yield lines
        lines.close()
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    table = TaskTable(limits, console)
    with (
        Live(get_renderable=table.render, console=console, refresh_per_second=8, transient=True),
        _show_notes(table),
    ):
        yield table


@contextmanager
def _show_notes(display: TaskDisplay) -> Iterator[None]:
    """What the pipeline logs goes to the display."""

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            display.note(record.getMessage())

    logger, told = logging.getLogger("dovetail.pipeline"), Told()
    level = logger.level
    logger.addHandler(told)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(told)


class TaskLines:
    """Lines for each training, after the name of its task."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._title = ""
        self._lines: Lines | None = None

    def announce(self, what: str) -> None:
        click.echo(what, err=True)

    def note(self, text: str) -> None:
        self.close()
        click.echo(f"note: {text}", err=True)

    def __call__(self, title: str, progress: Progress) -> None:
        if self._lines is None or title != self._title:
            self.close()
            self._title = title
            self._lines = Lines(*self._limits(task_of(title)), title=f"{title}: ")
        self._lines(progress)

    def close(self) -> None:
        """Show the last round of a training, unless it is there already."""
        if self._lines is not None:
            self._lines.close()
        self._lines = None


class TaskTable:
    """A row for each training, redrawn in place; those for cross-fitting share one."""

    def __init__(self, limits: Limits, console: Console) -> None:
        self._limits = limits
        self._console = console
        self._what = ""
        self._since = time.monotonic()
        self._histories: dict[str, list[Progress]] = {}

    def announce(self, what: str) -> None:
        self._what, self._since = what, time.monotonic()

    def note(self, text: str) -> None:
        self._console.print(f"note: {text}", highlight=False, markup=False)

    def __call__(self, title: str, progress: Progress) -> None:
        if title not in self._histories:
            task = task_of(title)
            earlier = [t for t in self._histories if PART in t and task_of(t) == task]
            for known in earlier:
                del self._histories[known]
        self._histories.setdefault(title, []).append(progress)

    def render(self) -> Table:
        """The table as it stands now."""
        from rich.table import Table

        table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 3, 0, 0))
        if not self._histories:
            table.add_column("phase")
            table.add_column("time", justify="right")
            table.add_row(self._what, format_duration(time.monotonic() - self._since))
            return table
        rows = [
            {"task": title, **describe_round(history, *self._limits(task_of(title)))}
            for title, history in self._histories.items()
        ]
        names = [name for name in rows[0] if name != "held-out"]
        for name in names:
            table.add_column(name, justify="left" if name in ("task", "phase") else "right")
        for row in rows:
            table.add_row(*(row[name] for name in names))
        return table
