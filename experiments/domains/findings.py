"""What the studies of domains say: means over samples, differences, tests, claims."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any, NamedTuple

from dovetail.compare import Result
from dovetail.compare.formatting import format_difference, format_p_value
from experiments.domains.pairs import compared, pooled_p

REFERENCE = "CRF"
BEST = ("P-HMM+D+E", "I-HMM+E, around")  # of the paper, and of ours by development text
MOVED = (
    ("E", "HMM", "HMM+E", "entropy"),
    ("D", "HMM", "HMM+D", "distance"),
    ("P", "I-HMM+D+E", "P-HMM+D+E", "predict"),
)


@dataclass(frozen=True)
class Line:
    """A system in a study: means over samples; ``score`` is the mean of all target domains.

    ``p`` is the largest of the samples: of the chi-square test of right tokens of all targets,
    against the tagger alone.
    """

    system: str
    n_samples: int
    development: float
    score: float
    tests: Mapping[str, float]
    unseen: float | None
    properties: Mapping[str, float | None]
    value: float | None
    difference: float | None
    p: float | None
    seconds: float


def lines(results: Sequence[Result]) -> dict[str, Line]:
    """The systems of a study."""
    found: dict[str, dict[int, Result]] = {}
    for result in results:
        found.setdefault(result["system"], {})[result["split"]] = result
    return {system: _line(system, own, found.get(REFERENCE)) for system, own in found.items()}


def _line(system: str, own: Mapping[int, Result], alone: Mapping[int, Result] | None) -> Line:
    samples = list(own.values())
    score = mean(r["overall"]["f1"] for r in samples)
    unseen = [r["overall"]["unseen"] for r in samples if "unseen" in r["overall"]]
    known = [r["properties"] for r in samples if "properties" in r]
    difference = p = None
    if alone is not None and system != REFERENCE:
        difference = score - mean(r["overall"]["f1"] for r in alone.values())
        if unseen:
            p = max(pooled_p(own[k], alone[k]) for k in own)
    return Line(
        system,
        len(samples),
        mean(r["development"] for r in samples),
        score,
        {name: mean(r["types"][name]["f1"] for r in samples) for name in samples[0]["types"]},
        mean(unseen) if unseen else None,
        {
            name: None if value is None else mean(p[name] for p in known)
            for name, value in (known[0] if known else {}).items()
        },
        mean(r["value"] for r in samples) if samples[0]["value"] is not None else None,
        difference,
        p,
        mean(r["seconds"] for r in samples),
    )


def sentences(study: str, results: Sequence[Result]) -> list[str]:
    """What a study says, and how surely."""
    found = lines(results)
    pairs = [f"{study}: {pair.in_words()}" for pair in compared(results)]
    if REFERENCE not in found:
        return pairs
    out = []
    below = [line for line in found.values() if (line.difference or 0) < 0]
    if below:
        least = ", ".join(
            f"{line.system} {format_difference(line.difference or 0)}" for line in below
        )
        out.append(f"{study}: below the tagger alone: {least}")
    else:
        out.append(f"{study}: every representation is at or above the tagger alone")
    for best in (name for name in BEST if name in found):
        if (difference := found[best].difference) is not None:
            tested = "" if found[best].p is None else f"; p {format_p_value(found[best].p or 0.0)}"
            out.append(f"{study}: {best} over {REFERENCE} {format_difference(difference)}{tested}")
    out += pairs
    for letter, before, after, name in MOVED:
        if before in found and after in found:
            a, b = (found[system].properties.get(name) for system in (before, after))
            if a is not None and b is not None:
                out.append(f"{study}: {letter} moves its property on unseen text {a:.3f} → {b:.3f}")
    return out


class Correlation(NamedTuple):
    """Pearson's r of n pairs, and its 95 % interval by Fisher's transformation."""

    r: float
    low: float
    high: float
    n: int


def correlate(xs: Sequence[float], ys: Sequence[float]) -> Correlation | None:
    """The correlation of pairs; None of fewer than four, or where one side never changes.

    >>> correlate([1, 2, 3, 4, 5], [2, 4, 5, 4, 6]).n
    5
    """
    if len(xs) < 4 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    r = min(max(statistics.correlation(xs, ys), -1 + 1e-12), 1 - 1e-12)
    z, width = math.atanh(r), 1.96 / math.sqrt(len(xs) - 3)
    return Correlation(r, math.tanh(z - width), math.tanh(z + width), len(xs))


def judge_distances(found: Mapping[str, Line]) -> str | None:
    """Figure 4 of the paper in a sentence: does accuracy fall with the distance of domains?"""
    alone = [line for name, line in found.items() if name == "HMM" or name.startswith("D")]
    points = {  # strengths that change nothing are one point
        (line.properties["distance"] or 0.0, line.score)
        for line in alone
        if "E" not in line.system and "ours" not in line.system
    }
    measured = correlate(*zip(*sorted(points), strict=True)) if points else None
    if measured is None:
        return None
    spread = max(score for _, score in points) - min(score for _, score in points)
    verdict = "no relation is shown"
    if measured.high < 0:
        verdict = "accuracy falls with the distance, as in the paper"
    elif measured.low > 0:
        verdict = "accuracy rises with the distance, against the paper"
    return (
        f"Figure 4: over {measured.n} strengths of D, distance and accuracy correlate by "
        f"{measured.r:.2f} (95 % interval {measured.low:.2f} to {measured.high:.2f}): {verdict}; "
        f"all accuracies are within {100 * spread:.2f} points"
    )


def to_dict(results: Mapping[str, Sequence[Result]]) -> dict[str, Any]:
    """All numbers as plain values."""
    return {
        "studies": {
            name: {system: asdict(line) for system, line in lines(own).items()}
            for name, own in results.items()
        },
        "pairs": {
            name: [pair.to_dict() for pair in compared(own)] for name, own in results.items()
        },
        "findings": [s for name, own in results.items() for s in sentences(name, own)],
    }
