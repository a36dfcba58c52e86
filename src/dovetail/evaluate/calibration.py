"""Whether probabilities of spans can be trusted: reliability and the expected calibration error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.corpus import spans

N_BINS = 10
Floats = npt.NDArray[np.float64]
PredictedSpan = tuple[int, int, str, float]
"""Start, end, label and probability, as the spans of a tagging are."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predicted spans in ten equally wide bins of their probability.

    Each bin has how many there are, the sum of their probabilities, how many are right, and the
    variance that the number of right ones would have if the probabilities were true.
    """

    counts: Floats
    probabilities: Floats
    right: Floats
    variances: Floats

    @property
    def error(self) -> float | None:
        """The expected calibration error: how far probabilities are from the share that is right,
        in the mean of all spans; None where there are none."""
        n = self.counts.sum()
        return float(np.abs(self.probabilities - self.right).sum() / n) if n else None

    @property
    def error_by_chance(self) -> float | None:
        """The error that perfectly calibrated probabilities would be expected to show on this many
        spans: an error below it is no evidence of miscalibration."""
        n = self.counts.sum()
        return float(np.sqrt(self.variances).sum() * sqrt(2 / pi) / n) if n else None

    def points(self) -> list[tuple[float, float, int]]:
        """Mean probability, share of right spans and number of spans, for each bin that has any."""
        full = np.flatnonzero(self.counts)
        return [
            (
                float(self.probabilities[k] / self.counts[k]),
                float(self.right[k] / self.counts[k]),
                int(self.counts[k]),
            )
            for k in full
        ]

    def to_dict(self) -> dict[str, list[float]]:
        """Plain values, for a file."""
        return {name: value.tolist() for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Reliability:
        """The opposite of `to_dict`."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.asarray(given[name], float) for name in names})

    @classmethod
    def pooled(cls, each: Iterable[Reliability]) -> Reliability:
        """That of several texts together."""
        listed = list(each)
        names = cls.__dataclass_fields__
        zero = np.zeros(N_BINS)
        return cls(**{name: sum((getattr(one, name) for one in listed), zero) for name in names})


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

    def total(values: Floats) -> Floats:
        return np.bincount(bins, values, N_BINS).astype(float)

    variances = probabilities * (1 - probabilities)
    each = np.ones_like(probabilities), probabilities, right, variances
    return Reliability(*map(total, each))


def span_calibration_error(
    gold: Sequence[Sequence[str | None]], predicted: Sequence[Sequence[PredictedSpan]]
) -> float | None:
    """How far the probabilities of predicted spans are from the share of these that are right: the
    mean over ten equally wide bins of probabilities, each by how many spans it has; None where no
    span is predicted.

    >>> span_calibration_error([["B-PER", "O"]], [[(0, 1, "PER", 0.75)]])
    0.25
    """
    return span_reliability(gold, predicted).error
