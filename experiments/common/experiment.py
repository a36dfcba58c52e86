"""What an experiment is: studies, each of several systems on the same data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dovetail.compare import Cell, Plan, Result

Say = Callable[[str], None]
"""Tells the user what takes time."""

Results = Mapping[str, Sequence[Result]]
"""Results by the names of studies."""


class Study(Protocol):
    """Systems on the same data: what is to be done, a fingerprint of all that it depends on, which
    cells share models, and a cell of it done."""

    @property
    def plan(self) -> Plan: ...
    @property
    def fingerprint(self) -> str: ...
    def shares(self, cell: Cell) -> Hashable: ...
    def work(self, cell: Cell) -> dict[str, Any]: ...


Studies = Mapping[str, Study]


class Report(Protocol):
    """What an experiment has found."""

    def for_terminal(self) -> Any: ...
    def write(self) -> list[Path]: ...


@dataclass(frozen=True)
class Experiment:
    """What an experiment is made of; the same settings give the same results.

    ``n_draws`` are random divisions, samples or folds. ``n_sentences`` makes a smaller experiment,
    with auxiliary taggers from so many sentences. All fields can be hashed and pickled, so that
    every process can make the studies for itself.
    """

    data: Path
    out: Path
    n_draws: int
    quick: bool = False
    n_sentences: int | None = None

    def studies(self, threads: int | None, say: Say | None = None) -> Studies:
        """The studies by name; auxiliary taggers that are not there yet are trained."""
        raise NotImplementedError
