"""The dual of posterior regularisation (Ganchev et al. 2010), by projected gradient ascent.

    maximise over lambda:  -log sum_Y p(Y | x) exp(-lambda . phi(Y)),   |lambda / sqrt(a)| <= sigma

with a the weights of the norm. Its gradient is E_q[phi]. Multipliers of properties that should be
small are at least 0; those that should be near 0 have either sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from dovetail.numeric import norm
from dovetail.representation.text import Floats

Found = TypeVar("Found")
Evaluate = Callable[[Floats], tuple[float, Floats, Found]]
SMALLEST_MOVE = 1e-10
ENOUGH = 0.3  # of the rise that the slope promises: a step that brings less is too long


@dataclass
class Ball:
    """Where multipliers may lie."""

    sigma: float
    weights: Floats
    signed: npt.NDArray[np.bool_]

    def nearest(self, scaled: Floats) -> Floats:
        """The nearest point, in coordinates lambda / sqrt(weights)."""
        inside = np.where(self.signed, scaled, np.maximum(scaled, 0.0))
        length = norm(inside)
        return inside if length <= self.sigma else inside * (self.sigma / length)


@dataclass
class Ascent(Generic[Found]):
    """Multipliers, the step size that works there, what the last evaluation found, and how far
    multipliers have moved or would move next, as a share of the ball's radius."""

    multipliers: Floats
    step: float
    found: Found
    moving: float


def ascend(
    evaluate: Evaluate[Found], start: Floats, ball: Ball, *, evaluations: int, step: float | None
) -> Ascent[Found]:
    """Climb with so many evaluations at most; a step that does not climb is taken back and halved
    twice, one that does makes the next longer."""
    root = np.sqrt(ball.weights)
    at = ball.nearest(np.divide(start, root, out=np.zeros_like(start), where=root > 0))
    begin, ahead = at, 0.0
    value, gradient, found = evaluate(at * root)
    for left in reversed(range(evaluations)):
        direction = gradient * root
        steepness = norm(direction)
        if steepness == 0:
            ahead = 0.0
            break
        step = ball.sigma / steepness if step is None else step
        there = ball.nearest(at + step * direction)
        ahead = norm(there - at)
        if not left or ahead <= SMALLEST_MOVE * ball.sigma:
            break
        higher, slope, other = evaluate(there * root)
        promised = float((direction * (there - at)).sum())
        if np.isfinite(higher) and (higher >= value + ENOUGH * promised or not np.isfinite(value)):
            at, value, gradient, found = there, higher, slope, other
            step *= 2
        else:
            step /= 4
    moving = max(norm(at - begin), ahead) / ball.sigma
    return Ascent(at * root, step or 0.0, found, moving)
