"""Whether probabilities of spans can be trusted: reliability and the expected calibration error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import pi, sqrt
from typing import Any

import numpy as np

from dovetail.corpus import spans

N_BINS = 10
PredictedSpan = tuple[int, int, str, float]
"""Start, end, label and probability, as the spans of a tagging are."""


@dataclass(frozen=True)
class Reliability:
    """Predicted spans in ten equally wide bins of their probability.

    Each bin has how many there are, the sum of their probabilities, how many are right, and the
    variance that the number of right ones would have if the probabilities were true.
    """

    counts: tuple[float, ...]
    probabilities: tuple[float, ...]
    right: tuple[float, ...]
    variances: tuple[float, ...]

    @property
    def error(self) -> float | None:
        """The expected calibration error: how far probabilities are from the share that is right,
        in the mean of all spans; None where there are none."""
        gaps = (abs(p - r) for p, r in zip(self.probabilities, self.right, strict=True))
        return sum(gaps) / sum(self.counts) if any(self.counts) else None

    @property
    def error_by_chance(self) -> float | None:
        """The error that true probabilities would be expected to show on so many spans: below it,
        nothing can be told."""
        expected = sqrt(2 / pi) * sum(map(sqrt, self.variances))
        return expected / sum(self.counts) if any(self.counts) else None

    def points(self) -> list[tuple[float, float, int]]:
        """Mean probability, share of right spans and number of spans, for each bin that has any."""
        bins = zip(self.counts, self.probabilities, self.right, strict=True)
        return [(p / n, right / n, int(n)) for n, p, right in bins if n]

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Reliability:
        """One that was kept as plain values, as `dataclasses.asdict` gives them."""
        return cls(*(tuple(map(float, given[field.name])) for field in fields(cls)))

    @classmethod
    def pooled(cls, each: Iterable[Reliability]) -> Reliability:
        """That of several texts together."""
        listed = list(each)
        names = [field.name for field in fields(cls)]
        bins = (zip(*(getattr(one, name) for one in listed), strict=True) for name in names)
        return cls(*(tuple(map(sum, own)) for own in bins))


def span_reliability(
    gold: Sequence[Sequence[str | None]], predicted: Sequence[Sequence[PredictedSpan]]
) -> Reliability:
    """How often predicted spans are right, by their probabilities.

    >>> span_reliability([["B-PER", "O"]], [[(0, 1, "PER", 0.75)]]).points()
    [(0.75, 1.0, 1)]
    """
    found = [
        (probability, (start, end, label) in true)
        for labels, own in zip(gold, predicted, strict=True)
        for true in [{*spans(labels)}]
        for start, end, label, probability in own
    ]
    probabilities, right = np.array(found, float).reshape(-1, 2).T
    bins = np.minimum((N_BINS * probabilities).astype(int), N_BINS - 1)
    variances = probabilities * (1 - probabilities)
    each = np.ones_like(probabilities), probabilities, right, variances
    return Reliability(*(tuple(np.bincount(bins, own, N_BINS).tolist()) for own in each))
