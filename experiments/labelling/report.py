"""What labelling costs, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Group
from rich.text import Text

from dovetail.compare import Result
from dovetail.studio import METHODS
from experiments.common.files import write_json
from experiments.common.tables import plain_table

NAME = "labelling"
BASE = "by hand"
TARGETS = {"actions": ("choice", 0.5), "read": ("questions", 0.4)}
SHOWN = ("documents", "spans", "read", "asked", "actions", "singly", "keys")
HEADS = {
    "spans": "entities",
    "read": "tokens read",
    "asked": "asked",
    "singly": "one by one",
}


class LabellingReport:
    """All that is told of the cases."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.out = out
        self.costs: dict[str, dict[str, dict[str, float]]] = {}
        self.scores: dict[str, tuple[float, float]] = {}
        self.unreached: list[str] = []
        for case, listed in results.items():
            by_method: dict[str, list[dict[str, float]]] = {}
            for one in listed:
                if not one:
                    continue
                self.scores[case] = (one["full"], one["target"])
                if one["reached"] is None:
                    self.unreached.append(f"{case}, {one['system']}, order {one['split']}")
                else:
                    by_method.setdefault(one["system"], []).append(one["reached"])
            self.costs[case] = {
                method: {name: fmean(own[name] for own in each) for name in SHOWN}
                for method, each in by_method.items()
            }

    def write(self) -> list[Path]:
        """Write JSON into the output folder; its path."""
        path = self.out / f"{NAME}.json"
        write_json(path, self.to_dict())
        return [path]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        scores = {case: {"full": a, "target": b} for case, (a, b) in self.scores.items()}
        return {
            "scores": scores,
            "costs": self.costs,
            "relative": self.relative(),
            "unreached": self.unreached,
        }

    def relative(self) -> dict[str, dict[str, float]]:
        """What each method costs relative to work by hand, in the mean over the cases."""
        out: dict[str, dict[str, float]] = {}
        for method in METHODS:
            cases = [own for own in self.costs.values() if method in own and BASE in own]
            if cases:
                out[method] = {
                    name: fmean(own[method][name] / own[BASE][base] for own in cases)
                    for name in SHOWN
                    for base in ["read" if name == "asked" else name]
                }
        return out

    def for_terminal(self) -> Group:
        """The table, and what it says; print it with a rich console."""
        heads = [HEADS.get(name, name) for name in SHOWN]
        table = plain_table("labelled until 90 % of full F1", "", *heads)
        for case, methods in self.costs.items():
            full, target = self.scores[case]
            for k, (method, own) in enumerate(methods.items()):
                first = f"{case} ({100 * full:.1f}, {100 * target:.1f})" if k == 0 else ""
                shown = [f"{own[name]:,.0f}" for name in SHOWN]
                table.add_row(first, method, *shown, end_section=k + 1 == len(methods))
        relative = self.relative()
        for k, (method, own) in enumerate(relative.items()):
            shown = [f"{own[name]:.0%}" for name in SHOWN]
            table.add_row("mean, of by hand" if k == 0 else "", method, *shown, style="bold")
        told = [
            f"- {what} with {method}: {relative[method][what]:.0%} of by hand (target {most:.0%})"
            for what, (method, most) in TARGETS.items()
            if method in relative
        ]
        told += [f"- never reached: {one}" for one in self.unreached]
        return Group(table, Text(), *map(Text, told))
