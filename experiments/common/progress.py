"""Where an experiment is: a bar on a terminal, else a line for each part."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import click
from rich import progress as bars
from rich.console import Console

from dovetail.compare import Progress

Show = Callable[[str, Progress], None]


@contextmanager
def show_progress() -> Iterator[Show]:
    """Shows the study and the cell that are worked on, and how long it will take."""
    if not sys.stderr.isatty():
        yield lambda study, now: click.echo(
            f"{now.done + 1} of {now.total}: {_title(study, now)}{_time_left(now, ', ')}", err=True
        )
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[left]}"),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")

        def show(study: str, now: Progress) -> None:
            title, left = _title(study, now), _time_left(now)
            bar.update(task, completed=now.done, total=now.total, description=title, left=left)

        yield show


def _title(study: str, now: Progress) -> str:
    if now.cell is None:
        return study
    system = now.cell.system
    title = study if study.endswith(f": {system}") else f"{study}: {system}"
    return replace(now.cell, system=title).id


def _time_left(now: Progress, before: str = "") -> str:
    if not now.seconds_left:
        return ""
    minutes, seconds = divmod(round(now.seconds_left), 60)
    hours, minutes = divmod(minutes, 60)
    told = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{before}~{told} left"
