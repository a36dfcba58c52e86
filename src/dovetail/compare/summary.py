"""What the results of a comparison say: means, differences and their tests, learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dovetail.compare.further_measures import summarize_measures
from dovetail.compare.plan import Result
from dovetail.errors import DataError
from dovetail.evaluate.calibration import Reliability
from dovetail.evaluate.significance import compare_paired


@dataclass(frozen=True)
class Spread:
    """The mean of a score over splits, and its sample standard deviation (None of one split)."""

    mean: float
    deviation: float | None
    n_splits: int


@dataclass(frozen=True)
class Score:
    """How good a system is at a training size.

    ``types`` has F1 of each type, over the splits that have the type; ``by_split`` pairs the number
    of a split with the overall F1 there.
    """

    system: str
    size: int
    precision: Spread
    recall: Spread
    f1: Spread
    types: Mapping[str, Spread]
    by_split: Sequence[tuple[int, float]]
    seconds: float


@dataclass(frozen=True)
class Difference:
    """F1 of a system minus that of another, on the splits that both have.

    ``type`` is None for all types together; ``p`` is of the paired t-test, ``corrected_p`` of the
    corrected resampled one; both are None with a single split.
    """

    system: str
    against: str
    size: int
    type: str | None
    mean: float
    deviation: float | None
    wins: int
    losses: int
    n_splits: int
    p: float | None
    corrected_p: float | None


@dataclass(frozen=True)
class DataSaved:
    """The training size from which on a system is as good as the reference at full size.

    It lies on the straight lines between the measured means. ``size`` is None if the system never
    gets there; ``at_most`` says that it is there at the smallest size already.
    """

    system: str
    size: float | None
    at_most: bool


@dataclass(frozen=True)
class Summary:
    """A comparison in numbers; all that tables and reports show comes from here."""

    systems: Sequence[str]
    reference: str
    unit: str
    sizes: Sequence[int]
    n_splits: int
    types: Sequence[str]
    scores: Sequence[Score]
    differences: Sequence[Difference]
    data_saved: Sequence[DataSaved]
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """Of the systems whose spans have probabilities, at full size, over all splits."""
    measures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Those beside F1 that were asked for, of each system at full size."""

    @property
    def full_size(self) -> int:
        """The largest training size."""
        return self.sizes[-1]

    def score(self, system: str, size: int) -> Score | None:
        """How good a system is at a size, if that was measured."""
        return next((s for s in self.scores if (s.system, s.size) == (system, size)), None)

    def f1(self, system: str, size: int, type: str | None = None) -> Spread | None:
        """F1 of a system at a size, of one type or overall, if that was measured."""
        score = self.score(system, size)
        if score is None:
            return None
        return score.f1 if type is None else score.types.get(type)

    def best(self, size: int, type: str | None = None) -> str | None:
        """The system with the highest mean F1 at a size, of one type or overall."""
        found = {system: self.f1(system, size, type) for system in self.systems}
        known = {system: spread.mean for system, spread in found.items() if spread is not None}
        return max(known, key=known.__getitem__, default=None)

    def curve(self, system: str) -> list[Score]:
        """The learning curve of a system: its scores by ascending size."""
        return [score for size in self.sizes if (score := self.score(system, size)) is not None]

    def difference(
        self, system: str, against: str, size: int, type: str | None = None
    ) -> Difference | None:
        """How a system differs from another, if that was looked at."""
        wanted = (system, against, size, type)
        for found in self.differences:
            if (found.system, found.against, found.size, found.type) == wanted:
                return found
        return None

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values, ready for JSON."""
        return asdict(self)


def summarize(
    results: Sequence[Result],
    *,
    reference: str | None = None,
    unit: str = "sequences",
    measures: Sequence[str] = (),
) -> Summary:
    """Summarise results, also incomplete ones: what is there is compared on common splits.

    Systems are compared with the reference (the first, unless named) and with the one before them.
    ``unit`` names what sizes count, ``measures`` those wanted beside F1: fields, coverage and
    chi-square.

    >>> scores = {"none": [0.7, 0.8], "joint": [0.8, 0.85]}
    >>> results = [
    ...     {"system": system, "split": split, "size": 50, "types": {}, "n_train": 50, "n_test": 50,
    ...      "overall": {"precision": f1, "recall": f1, "f1": f1}, "seconds": 1.0}
    ...     for system in scores for split, f1 in enumerate(scores[system])
    ... ]
    >>> summary = summarize(results)
    >>> round(summary.score("joint", 50).f1.mean, 3)
    0.825
    >>> round(summary.difference("joint", "none", 50).mean, 3)
    0.075
    """
    if not results:
        raise DataError("there are no results to summarise")
    systems = list(dict.fromkeys(result["system"] for result in results))
    reference = systems[0] if reference is None else reference
    if reference not in systems:
        raise DataError(f"there is no system {reference!r} among {', '.join(systems)}")
    sizes = sorted({result["size"] for result in results})
    types = sorted({name for result in results for name in result["types"]})
    cells: dict[tuple[str, int], dict[int, Result]] = {}
    for result in results:
        cells.setdefault((result["system"], result["size"]), {})[result["split"]] = result

    scores = [
        _score(system, size, cells[system, size], types)
        for size in sizes
        for system in systems
        if (system, size) in cells
    ]
    differences = [
        found
        for size in sizes
        for system, against in _pairs(systems, reference)
        for name in (None, *types)
        if (found := _difference(cells, system, against, size, name)) is not None
    ]
    at_full_size = {system: cells.get((system, sizes[-1]), {}) for system in systems}
    summary = Summary(
        systems,
        reference,
        unit,
        sizes,
        len({result["split"] for result in results}),
        types,
        scores,
        differences,
        data_saved=[],
        reliability=_reliability(at_full_size),
        measures=summarize_measures(measures, at_full_size, reference),
    )
    return _with_data_saved(summary)


def _reliability(cells: Mapping[str, Mapping[int, Result]]) -> dict[str, Reliability]:
    out = {}
    for system, splits in cells.items():
        kept = [r["reliability"] for r in splits.values() if r.get("reliability") is not None]
        if kept:
            out[system] = Reliability.pooled(map(Reliability.from_dict, kept))
    return out


def _pairs(systems: Sequence[str], reference: str) -> list[tuple[str, str]]:
    with_reference = [(system, reference) for system in systems if system != reference]
    consecutive = [(after, before) for before, after in pairwise(systems)]
    covered = {frozenset(pair) for pair in with_reference}
    return with_reference + [pair for pair in consecutive if frozenset(pair) not in covered]


def _score(system: str, size: int, splits: Mapping[int, Result], types: Sequence[str]) -> Score:
    overall = [result["overall"] for result in splits.values()]
    by_type = {
        name: [result["types"][name]["f1"] for result in splits.values() if name in result["types"]]
        for name in types
    }
    return Score(
        system,
        size,
        precision=_spread([scores["precision"] for scores in overall]),
        recall=_spread([scores["recall"] for scores in overall]),
        f1=_spread([scores["f1"] for scores in overall]),
        types={name: _spread(values) for name, values in by_type.items() if values},
        by_split=[(split, splits[split]["overall"]["f1"]) for split in sorted(splits)],
        seconds=float(np.mean([result["seconds"] for result in splits.values()])),
    )


def _spread(values: Sequence[float]) -> Spread:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), deviation, len(values))


def _difference(
    cells: Mapping[tuple[str, int], Mapping[int, Result]],
    system: str,
    against: str,
    size: int,
    type: str | None,
) -> Difference | None:
    first, second = cells.get((system, size), {}), cells.get((against, size), {})
    pairs = [(first[split], second[split]) for split in sorted(first.keys() & second.keys())]
    if type is not None:
        pairs = [(a, b) for a, b in pairs if type in a["types"] and type in b["types"]]
    if not pairs:
        return None
    found = compare_paired(
        [_f1(a, type) for a, _ in pairs],
        [_f1(b, type) for _, b in pairs],
        n_train=1.0,
        n_test=float(np.mean([overlap_ratio(a) for a, _ in pairs])),
    )
    return Difference(
        system,
        against,
        size,
        type,
        found.mean,
        found.deviation,
        found.wins.wins,
        found.wins.losses,
        len(pairs),
        found.test.p if found.test else None,
        found.corrected.p if found.corrected else None,
    )


def overlap_ratio(result: Result) -> float:
    """What the corrected test adds to 1/n for splits that share text: that of random splits is the
    size of their test part over that of the training part."""
    return float(result.get("overlap") or result["n_test"] / result["n_train"])


def _f1(result: Result, type: str | None) -> float:
    scores = result["overall"] if type is None else result["types"][type]
    return float(scores["f1"])


def _with_data_saved(summary: Summary) -> Summary:
    target = summary.score(summary.reference, summary.full_size)
    if target is None or len(summary.sizes) < 2:
        return summary
    others = [system for system in summary.systems if system != summary.reference]
    saved = [
        DataSaved(system, *_size_reaching(summary.curve(system), target.f1.mean))
        for system in others
    ]
    return replace(summary, data_saved=saved)


def _size_reaching(curve: Sequence[Score], target: float) -> tuple[float | None, bool]:
    """Where the curve is last below the target and then stays at or above it."""
    below = [i for i, score in enumerate(curve) if score.f1.mean < target]
    if not below:
        return float(curve[0].size), True
    if below[-1] == len(curve) - 1:
        return None, False
    before, after = curve[below[-1]], curve[below[-1] + 1]
    share = (target - before.f1.mean) / (after.f1.mean - before.f1.mean)
    return before.size + share * (after.size - before.size), False
