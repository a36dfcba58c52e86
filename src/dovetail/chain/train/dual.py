"""Dual ascent by exponentiated gradients: a fast start for L2, with a certificate of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dovetail import _native
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, Step, Weights
from dovetail.errors import TrainingError

CHECK = 0.6  # the gap is about twice what the dual value still has to rise


def ascend_dual(plan: Plan, objective: Objective, start: Weights | None) -> Iterator[Step]:
    """The method ``dual``."""
    if plan.dual_obstacle:
        raise TrainingError(f"the dual method cannot be used: {plan.dual_obstacle}")
    if start is not None:
        raise TrainingError("the dual method cannot start from a model; use auto or lbfgs")
    return dual(objective, tolerance=plan.tolerance, seed=plan.seed)


def dual(objective: Objective, *, tolerance: float, seed: int) -> Iterator[Step]:
    """Yield weights after each epoch; the dual value certifies how far they are from the optimum.

    The primal value costs an evaluation, so it is computed only when the dual value, which is free
    and rises geometrically, suggests that the gap may have closed.
    """
    ascent = _native.Dual(objective.problem, objective.c2)
    values: list[float] = []
    while True:
        values.append(ascent.epoch(seed + len(values)))
        check = _estimate_remaining(values) <= CHECK * tolerance * abs(values[-1])
        bound = ascent.refresh() if check else values[-1]
        w = np.empty(objective.size)
        ascent.weights(w)
        step = Step("dual", w, notes={"dual": values[-1], "rate": _convergence_rate(values)})
        if check:
            step.objective, gradient = objective(w)
            step.gradient_norm = float(np.sqrt(np.sum(gradient * gradient)))
            step.gap = (step.objective - bound) / max(abs(step.objective), 1e-300)
            if step.gap <= tolerance:
                step.finished = f"certified: within {step.gap:.2g} of the optimum (duality gap)"
            elif len(values) > 6 and max(values[-3:]) <= max(values[:-3]):
                step.finished = "the limit of single precision is reached"
        yield step
        if step.finished:
            return


def _convergence_rate(values: list[float]) -> float:
    """By what factor the rise of the dual value shrinks from epoch to epoch; 1 while it does
    not."""
    if len(values) < 3:
        return 1.0
    before, last = values[-2] - values[-3], values[-1] - values[-2]
    return min(1.0, max(0.0, last / before)) if before > 0.0 else 0.0


def _estimate_remaining(values: list[float]) -> float:
    """How much the dual value may still rise, if its convergence stays geometric."""
    rate = _convergence_rate(values)
    return (values[-1] - values[-2]) * rate / (1.0 - rate) if rate < 1.0 else np.inf
