"""L-BFGS for L2, and its orthant-wise form OWL-QN (Andrew & Gao 2007) where there is an L1 term.

With c2 > 0 and all labels known the objective is strongly convex, and the squared norm of its
subgradient over 4 c2 is the duality gap at the matching dual point: a certificate that the minimum
is no further away. Where that bound is slow to close (small c2), or absent, the optimiser stops
when ten rounds no longer bring progress. Where single precision can no longer distinguish a better
point from a worse one, double takes over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from dovetail import _native
from dovetail.chain.train.objective import Objective, Precision
from dovetail.chain.train.steps import Plan, State, Step, Weights

MEMORY = 8
PATIENCE = 10
BISECTIONS = 12  # for the best mixture in a bound
STALL = 0.03  # rounds that together improve by this share of the tolerance have stalled


class SmoothObjective(Protocol):
    """An objective with value and gradient that includes an L2 penalty of at least c2."""

    c2: float
    precision: Precision

    @property
    def size(self) -> int: ...
    def __call__(self, w: Weights, /) -> tuple[float, Weights]: ...
    def switch_to_double(self) -> None: ...


def minimize(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """The method ``lbfgs``; at an earlier model's weights the curvature is a good guide."""
    if state is not None:
        return resume_from(plan, objective, state)
    if start is None:
        return minimize_from(plan, objective, np.zeros(objective.size), scale=None)
    return minimize_from(plan, objective, start, scale=objective.inverse_curvature(start))


def minimize_from(
    plan: Plan, objective: Objective, start: Weights, *, scale: Weights | None
) -> Iterator[Step]:
    """L-BFGS or OWL-QN as planned, see `lbfgs`."""
    return lbfgs(
        objective, start, c1=plan.c1, tolerance=plan.tolerance, scale=scale, convex=plan.convex
    )


def resume_from(plan: Plan, objective: Objective, state: State) -> Iterator[Step]:
    """The rounds that follow the one with that state."""
    none = np.empty(0)
    return lbfgs(
        objective, none, c1=plan.c1, tolerance=plan.tolerance, convex=plan.convex, state=state
    )


class _Descent:
    """All that a round of L-BFGS leaves to the next."""

    def __init__(self, objective: SmoothObjective, start: Weights, c1: float, memory: int) -> None:
        self.objective = objective
        self.c1 = c1
        self.finished: str | None = None
        self.history = _native.LbfgsHistory(objective.size, memory)
        self.scale: Weights | None = None
        if start.size:
            self.begin(start.copy())

    def begin(self, w: Weights) -> None:
        """Afresh from ``w``, without what is known of the curvature."""
        self.history.clear()
        smooth, self.gradient = self.objective(w)
        self.w, self.value = w, smooth + _l1(w, self.c1)
        self.values = [self.value]

    def move(self, w: Weights, value: float, gradient: Weights) -> None:
        self.history.push(w - self.w, gradient - self.gradient)
        self.w, self.value, self.gradient = w, value, gradient
        self.values.append(value)

    def state(self) -> State:
        return {
            "w": self.w,
            "value": self.value,
            "gradient": self.gradient,
            "values": self.values[-1 - PATIENCE :],
            "scale": np.empty(0) if self.scale is None else self.scale,
            "finished": self.finished,
            "history": self.history.state(),
        }

    def restore(self, state: State) -> None:
        self.w, self.value, self.gradient = state["w"], state["value"], state["gradient"]
        self.values, self.finished = list(state["values"]), state["finished"]
        self.scale = state["scale"] if state["scale"].size else None
        self.history.restore(state["history"])


def lbfgs(
    objective: SmoothObjective,
    start: Weights,
    *,
    c1: float = 0.0,
    tolerance: float,
    scale: Weights | None = None,
    convex: bool = True,
    memory: int = MEMORY,
    state: State | None = None,
) -> Iterator[Step]:
    """Yield ever better weights; ``scale``: the inverse curvature, where the start is a good guide
    to it. With the ``state`` of a step, the steps that follow it."""
    at = _Descent(objective, start, c1, memory)
    if state is None:
        at.scale = scale
    else:
        at.restore(state)
        if at.finished:
            return
    seen = state is not None
    phase = "owl-qn" if c1 else "l-bfgs"
    while True:
        slope = _pseudo_gradient(at.w, at.gradient, c1)
        norm = float(np.sqrt(np.sum(slope * slope)))
        gap = _gap(at, norm, c1) if convex and objective.c2 > 0 and at.value != 0 else None
        certified, moved = _certified(norm, gap, tolerance), None
        stalled = None if certified else _stalled(at.values, tolerance)
        at.finished = certified or (stalled if objective.precision == "double" else None)
        if not seen:
            yield Step(phase, at.w, at.value, norm, gap, at.finished, state=at.state)
        seen = False
        if at.finished:
            return
        if not stalled:
            direction = _find_direction(at.history, slope, at.scale, c1)
            first = 1.0
            if len(at.values) == 1:
                first = min(1.0, 1.0 / max(norm, 1e-300)) if at.scale is None else 0.1
            moved = _line_search(objective, at.w, at.value, slope, direction, first, c1)
        if moved is not None:
            at.move(*moved)
        elif objective.precision == "double":
            at.finished = "the limit of numerical precision is reached"
            yield Step(phase, at.w, at.value, norm, gap, at.finished, state=at.state)
            return
        else:
            objective.switch_to_double()
            at.begin(at.w)


def _gap(at: _Descent, norm: float, c1: float) -> float:
    """How far the minimum of a convex objective can be, relative to its value."""
    c2 = at.objective.c2
    gap = norm * norm / (4.0 * c2 * abs(at.value))
    if not c1:
        return gap
    bound = _lower_bound(at.w, at.value - _l1(at.w, c1), at.gradient, c1, c2)
    return min(gap, (at.value - bound) / abs(at.value))


def _find_direction(
    history: _native.LbfgsHistory, slope: Weights, scale: Weights | None, c1: float
) -> Weights:
    """A descent direction."""
    direction = np.empty_like(slope)
    history.direction(slope, np.empty(0) if scale is None else scale, direction)
    if c1:
        direction[direction * slope >= 0] = 0.0
    if float(np.sum(direction * slope)) >= 0:
        history.clear()
        np.negative(slope, out=direction)
    return direction


def _l1(w: Weights, c1: float) -> float:
    return c1 * float(np.sum(np.abs(w))) if c1 else 0.0


def _pseudo_gradient(w: Weights, gradient: Weights, c1: float) -> Weights:
    """The gradient; with an L1 term the pseudo-gradient, its subgradient of least norm."""
    if not c1:
        return gradient
    shrunk = np.sign(gradient) * np.maximum(np.abs(gradient) - c1, 0.0)
    return np.where(w == 0.0, shrunk, gradient + c1 * np.sign(w))


def _lower_bound(w: Weights, smooth: float, gradient: Weights, c1: float, c2: float) -> float:
    """A bound on the minimum of h(w) + c2 |w|^2 + c1 |w|, with a convex loss h of at least 0.

    It is the minimum where h is replaced by a mixture of its tangent at ``w`` and of 0. Half-way
    gradients of many weights that should stay at 0 exceed c1 a little; mixing takes that off.
    """
    loss = smooth - c2 * float(np.sum(w * w))
    slope = gradient - 2.0 * c2 * w
    intercept = loss - float(np.sum(slope * w))
    steep = np.abs(slope[np.abs(slope) > c1])

    def exceeding(share: float) -> Weights:
        return np.maximum(share * steep - c1, 0.0)

    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        rises = intercept > float(np.sum(exceeding(middle) * steep)) / (2.0 * c2)
        low, high = (middle, high) if rises else (low, middle)
    best = max(
        share * intercept - float(np.sum(exceeding(share) ** 2)) / (4.0 * c2)
        for share in (low, high)
    )
    return max(0.0, best)


def _certified(norm: float, gap: float | None, tolerance: float) -> str | None:
    if norm == 0.0:
        return "the gradient is zero"
    if gap is not None and gap <= tolerance:
        return f"certified: within {gap:.2g} of the optimum (gradient norm)"
    return None


def _stalled(values: list[float], tolerance: float) -> str | None:
    if len(values) <= PATIENCE:
        return None
    progress = (values[-1 - PATIENCE] - values[-1]) / max(abs(values[-1]), 1e-300)
    if progress > STALL * tolerance:
        return None
    return f"the last {PATIENCE} rounds improved the objective by only {progress:.2g}"


def _line_search(
    objective: SmoothObjective,
    w: Weights,
    value: float,
    slope: Weights,
    direction: Weights,
    first: float,
    c1: float,
) -> tuple[Weights, float, Weights] | None:
    """Shorten the step until the objective has fallen enough (Armijo); None if it never does."""
    orthant = np.where(w == 0.0, -np.sign(slope), np.sign(w)) if c1 else None
    descent = float(np.sum(direction * slope))
    step = first
    for _ in range(30):
        trial = w + step * direction
        if orthant is not None:
            trial[trial * orthant < 0] = 0.0
            descent = float(np.sum((trial - w) * slope)) / step
        smooth, gradient = objective(trial)
        new_value = smooth + _l1(trial, c1)
        if np.isfinite(new_value) and new_value <= value + 1e-4 * step * descent:
            return trial, new_value, gradient
        step *= 0.5
    return None
