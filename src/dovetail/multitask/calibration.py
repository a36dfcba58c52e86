"""From scores to probabilities: one factor, found on text that was held out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dovetail.numeric import exp, log

Doubles = npt.NDArray[np.float64]
LARGEST = 50.0


def probabilities(scores: Doubles, factor: float) -> Doubles:
    """Softmax of the scores times the factor, [tokens x labels]; the best label stays the best.

    >>> probabilities(np.array([[1.0, -1.0]]), 1.0).round(2)
    array([[0.88, 0.12]])
    """
    scaled = factor * (scores - scores.max(axis=1, keepdims=True))
    made = exp(scaled)
    shares: Doubles = made / made.sum(axis=1, keepdims=True)
    return shares


def calibrate_factor(scores: Doubles, codes: npt.NDArray[np.int32]) -> float:
    """The factor by which the true labels, their numbers being ``codes``, are most likely.

    >>> scores = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> factor = calibrate_factor(scores, np.array([0, 0, 1, 1], np.int32))
    >>> round(float(probabilities(scores, factor)[0, 0]), 2)  # three in four are right
    0.75
    """
    from scipy.optimize import minimize_scalar

    known = codes >= 0
    scores, true = scores[known], codes[known]
    if not true.size:
        return 1.0

    def surprise(logarithm: float) -> float:
        found = probabilities(scores, float(exp(logarithm)))
        return -float(log(np.maximum(found[np.arange(len(true)), true], 1e-12)).mean())

    best = minimize_scalar(surprise, bounds=(float(log(1 / LARGEST)), float(log(LARGEST))))
    return float(exp(best.x))
