"""What the cases with little text have shown: means, pairs of systems, and sentences on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any, NamedTuple

from dovetail.compare import Result
from dovetail.compare.formatting import format_difference, format_percent

LOSS = 0.003  # of F1; less is no matter
WITHOUT_TEXT = ("none", "old")  # of which auto should be as good as the best
PEERS = (*WITHOUT_TEXT, "pooled")  # and with the old text, of these
CALIBRATED = ("none", "auto", "auto+text", "auto+words")
TIMED = (50, 300)
N_WORST = 3


class Row(NamedTuple):
    """A case at a training size, with the results of each system by draw."""

    case: str
    size: int
    results: Mapping[str, Mapping[int, Result]]

    def f1(self, system: str) -> float | None:
        """The mean over the draws of a system, if it is there."""
        own = self.results.get(system)
        return mean(map(_f1, own.values())) if own else None

    def difference(self, system: str, other: str) -> float | None:
        """By how much a system is above another, over the draws that both have; what does not
        depend on a draw is compared with all."""
        own, its = self.results.get(system, {}), self.results.get(other, {})
        if not own or not its:
            return None
        if other == "old":
            return mean(map(_f1, own.values())) - mean(map(_f1, its.values()))
        common = sorted({*own} & {*its})
        return mean(_f1(own[k]) - _f1(its[k]) for k in common) if common else None


class Means(NamedTuple):
    """Mean F1 of each system over the rows that have it, and how many they are."""

    title: str
    f1: Mapping[str, float]
    n_rows: Mapping[str, int]


class Verdict(NamedTuple):
    """A difference in one row: below 0 where the first of two is worse."""

    case: str
    size: int
    difference: float
    against: str


def rows_of(results: Mapping[str, Sequence[Result]]) -> list[Row]:
    """Rows from results by study; what has no size of its own is in all rows of its case."""
    found: dict[str, dict[int, dict[str, dict[int, Result]]]] = {}
    once: dict[str, Result] = {}
    for study, own in results.items():
        case = study.rpartition(": ")[0]
        for result in own:
            if result["system"] == "old":
                once[case] = result
            else:
                at = found.setdefault(case, {}).setdefault(result["size"], {})
                at.setdefault(result["system"], {})[result["split"]] = result
    for case, result in once.items():
        for at in found.setdefault(case, {result["size"]: {}}).values():
            at["old"] = {0: result}
    return [Row(case, size, own[size]) for case, own in found.items() for size in sorted(own)]


def means_of(rows: Sequence[Row], systems: Sequence[str]) -> list[Means]:
    """Means of each size, and of all."""
    sizes = sorted({row.size for row in rows})
    groups = [(f"mean of {n}", [row for row in rows if row.size == n]) for n in sizes]
    out = []
    for title, own in [*groups, ("mean of all", list(rows))]:
        scores = {s: [row.f1(s) for row in own] for s in systems}
        known = {s: [f1 for f1 in values if f1 is not None] for s, values in scores.items()}
        means = {system: mean(values) for system, values in known.items() if values}
        out.append(Means(title, means, {system: len(known[system]) for system in means}))
    return out


def verdicts(rows: Iterable[Row], system: str, against: Sequence[str]) -> list[Verdict]:
    """A system against the best of others in each row that has them, the worst first."""
    out = []
    for row in rows:
        found = [(row.difference(system, other), other) for other in against]
        known = [(difference, other) for difference, other in found if difference is not None]
        if known:
            out.append(Verdict(row.case, row.size, *min(known)))
    return sorted(out, key=lambda verdict: verdict.difference)


def mean_of(rows: Iterable[Row], system: str, what: str, size: int | None = None) -> float | None:
    """The mean of a further number of a system's results, of one size or of all."""
    found = [
        float(result[what])
        for row in rows
        if size in (None, row.size)
        for result in row.results.get(system, {}).values()
        if result.get(what) is not None
    ]
    return mean(found) if found else None


def sentences(rows: Sequence[Row]) -> list[str]:
    """What there is to say."""
    out = []
    pairs = verdicts(rows, "none", ["tutorial"])
    if pairs:
        lost = [pair.difference for pair in pairs if pair.difference < 0]
        there = f", there by {format_percent(-mean(lost))} in the mean" if lost else ""
        out.append(
            f"none is below tutorial in {len(lost)} of {len(pairs)} cells{there}; in the mean of "
            f"all it differs by {format_difference(mean(pair.difference for pair in pairs))}"
        )
    for system, others in (
        ("none", ["tutorial"]),
        ("auto", ["none"]),
        ("auto", WITHOUT_TEXT),
        ("auto+text", PEERS),
        ("auto+text", ["auto"]),
    ):
        found = verdicts(rows, system, others)
        n_lost = sum(verdict.difference < -LOSS for verdict in found)
        named = others[0] if len(others) == 1 else f"the best of {', '.join(others)}"
        if found:
            out.append(
                f"{system} is more than {format_percent(LOSS)} below {named} in {n_lost} of "
                f"{len(found)} cells; worst {_listed(found[:N_WORST])}"
            )
    for system in CALIBRATED:
        error = mean_of(rows, system, "calibration_error")
        by_chance = mean_of(rows, system, "calibration_error_by_chance")
        if error is not None:
            chance = "" if by_chance is None else f", by chance alone {format_percent(by_chance)}"
            shown = format_percent(error)
            out.append(f"expected calibration error of {system}'s spans: {shown}{chance}")
    times = [(n, mean_of(rows, "auto", "training_seconds", n)) for n in TIMED]
    told = [f"{seconds:.1f} s from {n} sequences" for n, seconds in times if seconds is not None]
    if told:
        out.append(f"auto trains on one thread in {', '.join(told)}, in the mean of the cases")
    return out


def to_dict(rows: Sequence[Row], systems: Sequence[str]) -> dict[str, Any]:
    """All numbers as plain values."""
    return {
        "cells": [
            {
                "case": row.case,
                "size": row.size,
                "f1": {system: row.f1(system) for system in systems if system in row.results},
                "draws": {s: [_f1(r) for r in own.values()] for s, own in row.results.items()},
                **{
                    what: {s: mean_of([row], s, what) for s in CALIBRATED}
                    for what in ("calibration_error", "calibration_error_by_chance")
                },
                "training_seconds": {s: mean_of([row], s, "training_seconds") for s in row.results},
            }
            for row in rows
        ],
        "means": [means._asdict() for means in means_of(rows, systems)],
        "none against tutorial": _plain(verdicts(rows, "none", ["tutorial"])),
        "auto against the best of others": _plain(verdicts(rows, "auto", WITHOUT_TEXT)),
        "auto+text against the best of others": _plain(verdicts(rows, "auto+text", PEERS)),
        "sentences": sentences(rows),
    }


def _f1(result: Result) -> float:
    return float(result["overall"]["f1"])


def _plain(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [verdict._asdict() for verdict in found]


def _listed(found: Sequence[Verdict]) -> str:
    return "; ".join(
        f"{format_difference(v.difference)} ({v.case}, {v.size}, against {v.against})"
        for v in found
    )
