"""Whether one system is better than another: paired tests of their scores on the same splits."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import DataError
from dovetail.evaluate.tails import student_tail

ROUNDING = 1e-12  # differences of scores below this come from rounding


class Wins(NamedTuple):
    """On how many splits the first system is better, worse, or the same."""

    wins: int
    losses: int
    ties: int


class TTest(NamedTuple):
    """The t statistic of a mean difference, its degrees of freedom, and the two-sided p-value."""

    t: float
    degrees: int
    p: float


class PairedComparison(NamedTuple):
    """Two systems on the same splits: first minus second, and both tests of that difference.

    ``deviation`` is the sample standard deviation of the differences. The tests are None where
    there is only one split, which says nothing about chance.
    """

    mean: float
    deviation: float | None
    wins: Wins
    test: TTest | None
    corrected: TTest | None


def compare_paired(
    first: Sequence[float], second: Sequence[float], *, n_train: float, n_test: float
) -> PairedComparison:
    """Compare the scores of two systems, split by split, in all the ways of this module.

    >>> found = compare_paired([0.8, 0.9, 0.7], [0.7, 0.8, 0.7], n_train=50, n_test=50)
    >>> found.wins
    Wins(wins=2, losses=0, ties=1)
    >>> round(found.test.p, 3), round(found.corrected.p, 3)
    (0.184, 0.423)
    """
    differences = _differences(first, second)
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else None
    return PairedComparison(
        float(differences.mean()),
        deviation,
        count_wins(first, second),
        paired_t_test(first, second),
        corrected_t_test(first, second, n_train=n_train, n_test=n_test),
    )


def count_wins(first: Sequence[float], second: Sequence[float]) -> Wins:
    """Count the splits on which the first system scores higher, lower, the same.

    >>> count_wins([0.8, 0.9, 0.7], [0.7, 0.9, 0.9])
    Wins(wins=1, losses=1, ties=1)
    """
    differences = _differences(first, second)
    wins, losses = int((differences > ROUNDING).sum()), int((differences < -ROUNDING).sum())
    return Wins(wins, losses, len(differences) - wins - losses)


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> TTest | None:
    """Student's paired t-test.

    It takes the splits for independent. Random splits of one corpus are not, as their training
    parts overlap, so its p-values are too small for them: see `corrected_t_test`.

    >>> paired_t_test([0.8, 0.9, 0.7], [0.7, 0.8, 0.7]).degrees
    2
    """
    differences = _differences(first, second)
    return _t_test(differences, 1 / len(differences))


def corrected_t_test(
    first: Sequence[float], second: Sequence[float], *, n_train: float, n_test: float
) -> TTest | None:
    """The corrected resampled t-test (Nadeau and Bengio 2003).

    The variance of the mean over n random splits is taken to be (1/n + n_test/n_train) times that
    of a difference, where n_train and n_test are the sizes of the two parts of a split.

    >>> test = corrected_t_test([0.8, 0.9, 0.7], [0.7, 0.8, 0.7], n_train=90, n_test=10)
    >>> round(test.t, 3)
    1.732
    """
    if not (n_train > 0 and n_test > 0):
        raise DataError(
            f"both parts of a split must hold something, not {n_train:g} to train on "
            f"and {n_test:g} to test on"
        )
    differences = _differences(first, second)
    return _t_test(differences, 1 / len(differences) + n_test / n_train)


def smallest_significant(n_splits: int, *, overlap: float, level: float = 0.05) -> float:
    """How many times its standard deviation over splits a mean difference has to be for the
    corrected test to find it; ``overlap`` is n_test / n_train.

    >>> [round(smallest_significant(n, overlap=9), 1) for n in (2, 10)]
    [39.2, 6.8]
    """
    if n_splits < 2:
        return float("inf")
    low, high = 0.0, 1e6
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, n_splits - 1) > level else (low, middle)
    return high * sqrt(1 / n_splits + overlap)


def _differences(first: Sequence[float], second: Sequence[float]) -> NDArray[np.float64]:
    if len(first) != len(second) or not len(first):
        raise DataError(
            f"paired scores come from the same splits, one or more: there are {len(first)} scores "
            f"of the first system and {len(second)} of the second"
        )
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if not np.isfinite(differences).all():
        raise DataError("a score is not a finite number, so systems cannot be compared")
    return differences


def _t_test(differences: NDArray[np.float64], variance_factor: float) -> TTest | None:
    """None with one difference; equal differences are surely 0 (p = 1) or surely not (p = 0)."""
    degrees = len(differences) - 1
    if degrees == 0:
        return None
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    if deviation < ROUNDING:
        return TTest(0.0, degrees, 1.0) if abs(mean) < ROUNDING else _certain(mean, degrees)
    t = mean / (deviation * sqrt(variance_factor))
    return TTest(t, degrees, student_tail(t, degrees))


def _certain(mean: float, degrees: int) -> TTest:
    return TTest(float(np.copysign(np.inf, mean)), degrees, 0.0)
