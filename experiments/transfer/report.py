"""Transfer to tasks with little text as text, as JSON and as a page to look at."""

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
from experiments.common.files import write_json
from experiments.common.tables import plain_table

REFERENCE = "none"


@dataclass(frozen=True)
class Line:
    """A case at a training size: mean F1 of no transfer over the draws, and what others differ."""

    case: str
    size: int
    n_draws: int
    f1: float
    differences: Mapping[str, float]

    @property
    def family(self) -> str:
        """The data set."""
        return self.case.partition(" ")[0]


class TransferReport:
    """All that is told of the cases."""

    def __init__(
        self,
        results: Mapping[str, Sequence[Result]],
        out: Path,
        name: str = "transfer",
        title: str = "Transfer to tasks with little text",
    ) -> None:
        self.name = name
        self.title = title
        self.results = results
        self.out = out
        first = next(iter(results.values()))
        self.systems = list(dict.fromkeys(r["system"] for r in first if r["system"] != REFERENCE))
        self.lines = [line for name, own in results.items() for line in _lines(name, own)]
        self.families: dict[str, list[Line]] = {}
        for line in self.lines:
            self.families.setdefault(line.family, []).append(line)
        self.means = {
            family: {s: mean(line.differences[s] for line in own) for s in self.systems}
            for family, own in self.families.items()
        }
        self.worst = {
            system: min(self.lines, key=lambda line: line.differences[system])
            for system in self.systems
        }

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "cells": [asdict(line) for line in self.lines],
            "means": self.means,
            "worst": {
                system: {
                    "case": line.case,
                    "size": line.size,
                    "difference": line.differences[system],
                }
                for system, line in self.worst.items()
            },
        }

    def sentences(self) -> list[str]:
        """The worst cell of each system, in words."""
        out = []
        for system, line in self.worst.items():
            below = sum(own.differences[system] < 0 for own in self.lines)
            out.append(
                f"{system}: worst {format_difference(line.differences[system])} "
                f"({line.case}, {line.size}); "
                f"below {REFERENCE} in {below} of {len(self.lines)} cells"
            )
        return out

    def write(self) -> list[Path]:
        """Write JSON and a page into the output folder; their paths."""
        paths = [self.out / f"{self.name}.json", self.out / f"{self.name}.html"]
        write_json(paths[0], self.to_dict())
        facts = {
            "cases": list(self.results),
            "scores": "F1 of spans; types are cases at their training sizes, overall is their mean",
            "left out": "cases with fewer draws than others; the table in the terminal has them",
            "penalty": "chosen in each training part by cross-validation without transfer",
        }
        summary = summarize(_by_draw(self.results), unit="cases")
        write_report(paths[1], summary, title=self.title, facts=facts)
        return paths

    def for_terminal(self) -> Group:
        """The table, and its worst cells; print it with a rich console."""
        heads = ("F1; others: difference", "trained on", "draws", REFERENCE)
        table = plain_table(*heads, *self.systems)
        for family, differences in self.means.items():
            own = self.families[family]
            for line in own:
                values = [format_difference(line.differences[system]) for system in self.systems]
                start = (line.case, str(line.size), str(line.n_draws), format_percent(line.f1))
                table.add_row(*start, *values)
            values = [format_difference(differences[system]) for system in self.systems]
            f1 = format_percent(mean(line.f1 for line in own))
            table.add_row(f"mean of {family}", "", "", f1, *values, style="bold", end_section=True)
        return Group(table, Text(), *(Text(f"- {sentence}") for sentence in self.sentences()))


def _lines(case: str, results: Sequence[Result]) -> list[Line]:
    scores: dict[int, dict[str, list[float]]] = {}
    for result in results:
        own = scores.setdefault(result["size"], {})
        own.setdefault(result["system"], []).append(result["overall"]["f1"])
    out = []
    for size in sorted(scores):
        means = {system: mean(values) for system, values in scores[size].items()}
        f1, n = means.pop(REFERENCE), len(scores[size][REFERENCE])
        out.append(Line(case, size, n, f1, {s: value - f1 for s, value in means.items()}))
    return out


def _by_draw(results: Mapping[str, Sequence[Result]]) -> list[Result]:
    """All cases as one result a system and draw; those with fewer draws than others are left out,
    since tests take draws for independent."""
    drawn = {case: max(result["split"] for result in own) for case, own in results.items()}
    most = max(drawn.values())
    cells: dict[tuple[str, int], dict[str, Result]] = {}
    for case, own in results.items():
        for result in own if drawn[case] == most else ():
            title = f"{case}, {result['size']}"
            cells.setdefault((result["system"], result["split"]), {})[title] = result
    out = []
    for (system, draw), found in cells.items():
        overall = [result["overall"] for result in found.values()]
        out.append(
            {
                "system": system,
                "split": draw,
                "size": len(found),
                "overall": {name: mean(o[name] for o in overall) for name in overall[0]},
                "types": {title: result["overall"] for title, result in found.items()},
                "n_train": mean(result["n_train"] for result in found.values()),
                "n_test": mean(result["n_test"] for result in found.values()),
                "seconds": sum(result["seconds"] for result in found.values()),
            }
        )
    return out
