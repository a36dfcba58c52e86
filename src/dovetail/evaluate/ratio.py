"""Scores that are ratios of sums, and whether the difference of two is more than chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIGNIFICANT = 1.64  # standard errors: one chance in twenty


@dataclass(frozen=True)
class RatioScore:
    """A score that is a ratio of sums, such as F1 or accuracy, and the influence of each unit of
    text on it; ``total`` is the denominator."""

    score: float
    influence: NDArray[np.float64]
    total: float

    def smoothed_score(self, share: float, of: float) -> float:
        """The score with a prior added: ``share`` to the numerator and ``of`` to the denominator.

        >>> ratio(np.array([2.0, 0.0]), np.array([2.0, 2.0])).smoothed_score(1.0, 1.0)
        0.6
        """
        return (self.score * self.total + share) / (self.total + of)

    def is_significantly_better(self, other: RatioScore, margin: float | None = None) -> bool:
        """Whether the difference on the same units is more than ``margin`` standard errors, by
        default the 5 % level of a one-sided test.

        The standard error is that of the linearised difference of two ratios.
        """
        error = float(np.sqrt(np.sum((self.influence - other.influence) ** 2)))
        return self.score - other.score > (SIGNIFICANT if margin is None else margin) * error


def ratio(share: NDArray[np.float64], of: NDArray[np.float64]) -> RatioScore:
    """The score whose numerator and denominator are sums over units.

    >>> ratio(np.array([2.0, 0.0]), np.array([2.0, 2.0])).score
    0.5
    """
    total = max(float(of.sum()), 1.0)
    score = float(share.sum()) / total
    return RatioScore(score, (share - score * of) / total, total)
