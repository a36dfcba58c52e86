"""ASO with little labelled text as text, as JSON and as pages to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Group
from rich.text import Text

from dovetail.compare import Result, summarize, write_report
from dovetail.compare.formatting import format_difference, format_percent
from experiments.aso.study import REFERENCE
from experiments.common.files import write_json
from experiments.common.tables import plain_table


@dataclass(frozen=True)
class Line:
    """A domain at a training size: F1 of the linear tagger, and of others the difference from it,
    in how many draws they are above it, and how many times its CPU time they take."""

    domain: str
    size: int
    n_draws: int
    f1: float
    differences: Mapping[str, float]
    wins: Mapping[str, int]
    times: Mapping[str, float]


class LittleTextReport:
    """All that is told of the domains."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.results, self.out = results, out
        self.lines = [line for name, own in results.items() for line in _lines(name, own)]
        self.systems = list(self.lines[0].differences)

    def mean_difference(self, system: str) -> float:
        """Over all domains and sizes."""
        return mean(line.differences[system] for line in self.lines)

    def sentences(self) -> list[str]:
        """Means, worst cases and times, in words."""
        out = []
        for system in self.systems:
            worst = min(self.lines, key=lambda line: line.differences[system])
            gain = format_difference(self.mean_difference(system))
            out.append(
                f"{system}: {gain} F1 in the mean; worst "
                f"{format_difference(worst.differences[system])} ({worst.domain}, {worst.size}); "
                f"{mean(line.times[system] for line in self.lines):.1f} times the CPU time of "
                f"{REFERENCE}"
            )
        return out

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        means = {system: self.mean_difference(system) for system in self.systems}
        return {"lines": [asdict(line) for line in self.lines], "means": means}

    def write(self) -> list[Path]:
        """Write JSON and a page for each domain into the output folder; their paths."""
        paths = [self.out / "aso.json"]
        write_json(paths[0], self.to_dict())
        for name, own in self.results.items():
            paths.append(self.out / f"{name.rpartition(' ')[2]}.html")
            summary = summarize(own, reference=REFERENCE, unit="sentences")
            write_report(paths[-1], summary, title=f"Shared structure in {name}", facts={})
        return paths

    def for_terminal(self) -> Group:
        """The table, and what it says; print it with a rich console."""
        table = plain_table(
            "F1; others: difference", "trained on", "draws", REFERENCE, *self.systems
        )
        for line in self.lines:
            told = [
                f"{format_difference(line.differences[s])} ({line.wins[s]} above)"
                for s in self.systems
            ]
            start = (line.domain, str(line.size), str(line.n_draws), format_percent(line.f1))
            table.add_row(*start, *told)
        means = [format_difference(self.mean_difference(system)) for system in self.systems]
        f1 = format_percent(mean(line.f1 for line in self.lines))
        table.add_row("mean", "", "", f1, *means, style="bold")
        return Group(table, Text(), *(Text(f"- {sentence}") for sentence in self.sentences()))


def _lines(domain: str, results: Sequence[Result]) -> list[Line]:
    cells: dict[int, dict[str, dict[int, Result]]] = {}
    for result in results:
        own = cells.setdefault(result["size"], {}).setdefault(result["system"], {})
        own[result["split"]] = result
    return [_line(domain, size, own) for size, own in sorted(cells.items())]


def _line(domain: str, size: int, cells: Mapping[str, Mapping[int, Result]]) -> Line:
    linear = cells[REFERENCE]
    others = {system: own for system, own in cells.items() if system != REFERENCE}
    gains = {
        system: [own[k]["overall"]["f1"] - linear[k]["overall"]["f1"] for k in own]
        for system, own in others.items()
    }
    cpu = {s: sum(result["cpu"] for result in own.values()) for s, own in cells.items()}
    return Line(
        domain,
        size,
        len(linear),
        mean(result["overall"]["f1"] for result in linear.values()),
        {system: mean(own) for system, own in gains.items()},
        {system: sum(gain > 0 for gain in own) for system, own in gains.items()},
        {system: cpu[system] / cpu[REFERENCE] for system in others},
    )
