"""Where an experiment is: a bar on a terminal, else a line for each part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from dovetail.compare import Progress, progress_bar

Show = Callable[[str, Progress], None]


@contextmanager
def show_progress() -> Iterator[Show]:
    """Shows the study and the cell that are worked on, and how long it will take."""
    with progress_bar() as show:
        yield lambda study, now: show(_title(study, now), now)


def _title(study: str, now: Progress) -> str:
    if now.cell is None:
        return study
    system = now.cell.system
    title = study if study.endswith(f": {system}") else f"{study}: {system}"
    return replace(now.cell, system=title).id
