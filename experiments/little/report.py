"""The cases with little text as a table, as JSON and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Group
from rich.text import Text

from dovetail.compare import Result
from dovetail.compare.formatting import format_percent
from experiments.common.files import write_json
from experiments.common.tables import plain_table
from experiments.little.findings import (
    Means,
    Row,
    means_of,
    rows_of,
    sentences,
    to_dict,
)
from experiments.little.plot import draw
from experiments.little.systems import SYSTEMS

NAME = "little"
BEST = "*"


class LittleReport:
    """All that is told of the cases."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.out = out
        self.rows = rows_of(results)
        present = {system for row in self.rows for system in row.results}
        self.systems = [system for system in SYSTEMS if system in present]

    def write(self) -> list[Path]:
        """Write JSON and the picture into the output folder; their paths."""
        paths = [self.out / f"{NAME}.json", self.out / f"{NAME}.svg"]
        write_json(paths[0], to_dict(self.rows, self.systems))
        draw(paths[1], self.rows)
        return paths

    def for_terminal(self) -> Group:
        """The table, and what it says; print it with a rich console."""
        table = plain_table("F1 of spans", "trained on", "draws", *self.systems)
        last = ""
        for k, row in enumerate(self.rows):
            ends = k + 1 == len(self.rows) or self.rows[k + 1].case != row.case
            n_draws = max(len(own) for own in row.results.values())
            start = ("" if row.case == last else row.case, str(row.size), str(n_draws))
            table.add_row(*start, *_scores(row, self.systems), end_section=ends)
            last = row.case
        for means in means_of(self.rows, self.systems):
            table.add_row(means.title, "", "", *_means(means, self.systems), style="bold")
        told = [f"{BEST} best of a row; in brackets: of so many rows, where a system is not in all"]
        told += [f"- {sentence}" for sentence in sentences(self.rows)]
        return Group(table, Text(), *map(Text, told))


def _scores(row: Row, systems: Sequence[str]) -> list[str]:
    shown = [None if (f1 := row.f1(system)) is None else format_percent(f1) for system in systems]
    best = max((value for value in shown if value is not None), key=float, default=None)
    return ["" if v is None else f"{v}{BEST}" if v == best else f"{v} " for v in shown]


def _means(means: Means, systems: Sequence[str]) -> list[str]:
    most = max(means.n_rows.values(), default=0)
    out = []
    for system in systems:
        n = means.n_rows.get(system, 0)
        shown = f"{format_percent(means.f1[system])} " if n else ""
        out.append(f"({n}) {shown}" if 0 < n < most else shown)
    return out
