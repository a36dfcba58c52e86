"""Whether probabilities of spans can be trusted: the expected calibration error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.corpus import spans

N_BINS = 10
PredictedSpan = tuple[int, int, str, float]
"""Start, end, label and probability, as the spans of a tagging are."""


def span_calibration_error(
    gold: Sequence[Sequence[str | None]], predicted: Sequence[Sequence[PredictedSpan]]
) -> float | None:
    """How far the probabilities of predicted spans are from the share of these that are right: the
    mean over ten equally wide bins of probabilities, each by how many spans it has; None where no
    span is predicted.

    >>> span_calibration_error([["B-PER", "O"]], [[(0, 1, "PER", 0.75)]])
    0.25
    """
    found = [
        (probability, (start, end, label) in true)
        for labels, own in zip(gold, predicted, strict=True)
        for true in [{*spans(labels)}]
        for start, end, label, probability in own
    ]
    if not found:
        return None
    probabilities, right = np.array(found, float).T
    bins = np.minimum((N_BINS * probabilities).astype(int), N_BINS - 1)
    gaps = np.bincount(bins, probabilities - right, N_BINS)
    return float(np.abs(gaps).sum() / len(found))
