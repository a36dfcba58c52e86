"""Where a comparison is: a bar on a terminal, else a line for each part, both on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

from dovetail.compare.run import Progress
from dovetail.units import format_duration

ShowProgress = Callable[[str, Progress], None]


@contextmanager
def progress_bar() -> Iterator[ShowProgress]:
    """A function that shows the title of what is being computed, and how long it may take."""
    if not sys.stderr.isatty():
        yield _print_line
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[left]}"),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")

        def show(title: str, now: Progress) -> None:
            left = _time_left(now)
            bar.update(task, completed=now.done, total=now.total, description=title, left=left)

        yield show


def _print_line(title: str, now: Progress) -> None:
    if now.cell is not None:
        left = f", {_time_left(now)}" if now.seconds_left else ""
        print(f"{now.done + 1} of {now.total}: {title}{left}", file=sys.stderr)


def _time_left(now: Progress) -> str:
    return f"~{format_duration(now.seconds_left)} left" if now.seconds_left else ""
