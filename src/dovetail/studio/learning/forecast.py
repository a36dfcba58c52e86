"""How much more has to be labelled: errors fall as a power of how much there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.numeric import exp, log
from dovetail.numeric import multinomial as draw_counts

Floats = npt.NDArray[np.float64]
FEWEST = 15  # test documents for a forecast
SPREAD = 2.0  # times as much as at first must be labelled by the last of them
FURTHEST = 10.0  # times as much as now is as far as it goes
RESAMPLES = 400
STEPS = 50


class Law(NamedTuple):
    """The share of wrong decisions after n documents: ``level`` times n to the minus ``slope``."""

    level: float
    slope: float

    def error(self, n: float) -> float:
        """That share; 1 at most."""
        return min(1.0, self.level * float(exp(-self.slope * log(max(n, 1.0)))))

    def documents(self, error: float) -> float:
        """After how many documents the share is so low; infinite if never."""
        if self.slope <= 0:
            return np.inf
        return float(exp((log(self.level) - log(error)) / self.slope))


class Forecast(NamedTuple):
    """The documents after which an F1 is reached, with the bounds of a 90 % interval."""

    target: float
    documents: float
    low: float
    high: float
    law: Law


def fit_law(n: Sequence[float], wrong: Sequence[float], of: Sequence[float]) -> Law:
    """The law under which ``wrong`` of ``of`` decisions are likeliest, as a Poisson regression."""
    counts, size = np.asarray(wrong, float), np.asarray(of, float)
    x = log(np.maximum(np.asarray(n, float), 1.0))
    centre = float((x * size).sum() / size.sum())
    design = np.stack([np.ones_like(x), x - centre], axis=1)
    weights = np.array([float(log(max(counts.sum(), 0.5) / size.sum())), 0.0])
    for _ in range(STEPS):
        expected = size * exp(np.clip(design @ weights, -30, 5))
        gradient = design.T @ (expected - counts)
        curvature = (design * expected[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    slope = -float(weights[1])
    return Law(float(exp(weights[0] + slope * centre)), slope)


def forecast(
    n: Sequence[float],
    wrong: Sequence[float],
    of: Sequence[float],
    target: float,
    *,
    now: float,
    seed: int = 0,
) -> Forecast | str:
    """When an F1 will be reached, or a sentence that says why that cannot be told.

    Of each test document: how many were labelled before it, and of how many decisions how many were
    wrong, where an F1 is one less their share.
    """
    if len(n) < FEWEST or not sum(of):
        return f"a forecast needs {FEWEST} test documents, and there are {len(n)}"
    if max(n) < SPREAD * max(min(n), 1):
        return "a forecast needs scores over a longer way: label twice as much"
    law = fit_law(n, wrong, of)
    if law.slope <= 0:
        return "scores have not risen, so there is no telling when they will"
    needed = law.documents(1 - target)
    if needed > FURTHEST * now:
        return f"F1 {100 * target:.0f} is more than {FURTHEST:.0f} times as far as now"
    draws = draw_counts(len(n), [1] * len(n), RESAMPLES, seed)
    reached = []
    for drawn in np.asarray(draws, float):
        kept = drawn > 0
        own = [np.asarray(values, float)[kept] for values in (n, wrong, of)]
        if (own[2] * drawn[kept]).sum():
            found = fit_law(own[0], own[1] * drawn[kept], own[2] * drawn[kept])
            reached.append(found.documents(1 - target))
    low, high = np.quantile(reached, [0.05, 0.95], method="nearest")
    if not np.isfinite(high):
        return "scores have not clearly risen, so there is no telling when they will"
    return Forecast(target, needed, float(low), float(high), law)
