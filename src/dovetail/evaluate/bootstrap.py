"""How sure a score is: percentile bootstrap over sequences or documents."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.errors import DataError
from dovetail.evaluate.report import Report
from dovetail.numeric import multinomial

Metric = Literal["f1", "precision", "recall", "accuracy"]


class Interval(NamedTuple):
    """A score with the bounds between which it lies in a share ``level`` of the resamples."""

    score: float
    low: float
    high: float
    level: float


def bootstrap(
    report: Report,
    metric: Metric | None = None,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    document_bounds: ArrayLike | None = None,
) -> Interval:
    """Percentile interval of the micro-averaged score (Efron 1979), drawing whole sequences.

    ``metric`` is by default f1 for a report by spans and accuracy for one by tokens.
    With ``document_bounds``, as a corpus has them, whole documents are drawn.

    >>> from dovetail.evaluate import evaluate_tokens
    >>> report = evaluate_tokens([["A"]] * 100, [["A"]] * 90 + [["B"]] * 10)
    >>> score, low, high, _ = bootstrap(report)
    >>> low < score == 0.9 < high
    True
    """
    if metric is None:
        metric = "f1" if report.kind == "spans" else "accuracy"
    if metric not in ("f1", "precision", "recall", "accuracy"):
        raise DataError(f"there is no score {metric!r}: choose f1, precision, recall or accuracy")
    if resamples < 1 or not 0 < level < 1:
        raise DataError("resamples must be at least 1 and level lie between 0 and 1")
    counts = _fraction(report.sequences, metric)
    if document_bounds is not None:
        bounds = np.asarray(document_bounds, dtype=np.int64)
        if bounds[0] != 0 or bounds[-1] != len(counts):
            raise DataError(
                f"document_bounds end at {bounds[-1]} but there are {len(counts)} sequences"
            )
        running = np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(counts, axis=0)])
        counts = np.diff(running[bounds], axis=0)
    score = float(_score(counts.sum(axis=0)))
    if not len(counts):
        return Interval(score, score, score, level)

    # Units with the same counts are exchangeable, so drawing how often each distinct pair of
    # counts occurs has the same distribution as drawing units, with far fewer numbers.
    distinct, frequency = np.unique(counts, axis=0, return_counts=True)
    draws = multinomial(len(counts), frequency, resamples, seed)
    scores = _score(draws @ distinct)
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return Interval(score, float(low), float(high), level)


def resample_totals(
    counts: ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Bootstrap sums: counts added up over units that are drawn with replacement, as many as there
    are, for each resample: [units x counts] becomes [resamples x counts].

    The same number of units and the same seed draw the same units, so that two systems can be
    compared on each resample.

    >>> resample_totals([[1, 0], [1, 0]], resamples=2).tolist()
    [[2.0, 0.0], [2.0, 0.0]]
    """
    table = np.asarray(counts, np.float64)
    if table.ndim != 2 or not len(table):
        raise DataError(f"give counts as a table of one or more units, not of shape {table.shape}")
    draws = multinomial(len(table), [1] * len(table), resamples, seed)
    return np.asarray(draws @ table)


def _fraction(sequences: NDArray[np.int64], metric: Metric) -> NDArray[np.int64]:
    """Numerator and denominator of the score, additive over sequences; shape [sequences, 2]."""
    tp, fp, fn, correct, tokens = sequences.T
    numerator, denominator = {
        "f1": (2 * tp, 2 * tp + fp + fn),
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "accuracy": (correct, tokens),
    }[metric]
    return np.stack([numerator, denominator], axis=1)


def _score(fraction: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(fraction[..., 0] / np.maximum(fraction[..., 1], 1), dtype=np.float64)
