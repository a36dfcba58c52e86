"""Which optimiser runs, in which order.

The automatic choice: where the dual exists (L2 alone, every label known, enough memory), ascend it;
its certificate says when to stop. Where it converges slowly (a weak penalty), or does not exist, a
quick start by it or by stochastic gradients is followed by L-BFGS (OWL-QN for L1). Such a start is
far from the optimum: the curvature there would mislead, so that is used only after earlier models.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail import _native
from dovetail.chain.dual import dual
from dovetail.chain.lbfgs import lbfgs
from dovetail.chain.objective import Objective
from dovetail.chain.steps import Method, Step, Weights
from dovetail.errors import TrainingError

logger = logging.getLogger(__name__)

DUAL_PENALTY = 0.1  # below this c2 the dual is only a start
START_EPOCHS = 5
PERCEPTRON_EPOCHS = 20
SGD_EPOCHS = 30
SGD_RATE = 0.1


@dataclass(frozen=True)
class Plan:
    """What a training should do, and what the data allows."""

    method: Method
    c1: float
    tolerance: float
    seed: int
    dual_obstacle: str | None  # why the dual cannot be used, if it cannot
    convex: bool  # all labels known


def steps(plan: Plan, objective: Objective, start: Weights | None) -> Iterator[Step]:
    """Rounds of the chosen method, from ``start`` where there is an earlier model."""
    zero = np.zeros(objective.size)
    if plan.method == "perceptron":
        return perceptron(objective.problem, zero if start is None else start, plan.seed)
    if plan.method == "sgd":
        return stochastic(objective, zero if start is None else start, plan, SGD_EPOCHS)
    if plan.method == "dual":
        if plan.dual_obstacle:
            raise TrainingError(f"the dual method cannot be used: {plan.dual_obstacle}")
        if start is not None:
            raise TrainingError("the dual method cannot start from a model; use auto or lbfgs")
        return dual(objective, tolerance=plan.tolerance, seed=plan.seed)
    if plan.method == "lbfgs" or start is not None:
        warm = start is not None
        first = zero if start is None else start
        return finish(plan, objective, first, warm=warm)
    return automatic(plan, objective)


def finish(plan: Plan, objective: Objective, start: Weights, *, warm: bool) -> Iterator[Step]:
    """L-BFGS or OWL-QN as planned; ``warm``: the curvature at the start is a good guide."""
    scale = objective.inverse_curvature(start) if warm else None
    return lbfgs(
        objective, start, c1=plan.c1, tolerance=plan.tolerance, scale=scale, convex=plan.convex
    )


def automatic(plan: Plan, objective: Objective) -> Iterator[Step]:
    """A fast start, then a certified finish."""
    w = np.zeros(objective.size)
    if plan.dual_obstacle:
        logger.info("starting by stochastic gradients: %s", plan.dual_obstacle)
        rounds = stochastic(objective, w, plan, START_EPOCHS)
    else:
        rounds = dual(objective, tolerance=plan.tolerance, seed=plan.seed)
    alone = not plan.dual_obstacle and objective.c2 >= DUAL_PENALTY and not plan.c1
    slow = 0
    for number, step in enumerate(rounds, start=1):
        certified = step.gap is not None and step.gap <= plan.tolerance
        done = step.finished if alone and certified else None
        yield Step(**{**vars(step), "finished": done})
        w = step.weights
        if done:
            return
        slow = slow + 1 if step.notes.get("rate", 0.0) > SLOW_RATE else 0
        if number >= START_EPOCHS and (not alone or slow >= 2 or step.finished):
            break
    value, _ = objective(w)
    if not np.isfinite(value) or value > objective(np.zeros_like(w))[0]:
        logger.info("the quick start went astray; starting from zero")
        yield from finish(plan, objective, np.zeros_like(w), warm=False)
    else:
        yield from finish(plan, objective, w, warm=False)


SLOW_RATE = 0.9  # the dual's remaining distance shrinks by less than a tenth an epoch


def stochastic(objective: Objective, start: Weights, plan: Plan, epochs: int) -> Iterator[Step]:
    """Epochs of stochastic gradient descent with a falling rate."""
    descent = _native.Stochastic(objective.problem, objective.c2, start)
    for epoch in range(epochs):
        loss = descent.epoch(SGD_RATE / (1.0 + 0.5 * epoch), plan.seed + epoch)
        w = np.empty_like(start)
        descent.weights(w)
        last = f"{epochs} epochs are done; not certified: use auto" if epoch + 1 == epochs else None
        yield Step("sgd", w, finished=last, notes={"online": loss})


def perceptron(problem: _native.Problem, start: Weights, seed: int) -> Iterator[Step]:
    """Epochs of the averaged perceptron, until the training data is learnt or it has had enough."""
    learner = _native.Perceptron(problem, start)
    for epoch in range(PERCEPTRON_EPOCHS):
        wrong = learner.epoch(seed + epoch)
        w = np.empty_like(start)
        learner.average(w)
        finished = (
            f"{PERCEPTRON_EPOCHS} epochs are done" if epoch + 1 == PERCEPTRON_EPOCHS else None
        )
        if wrong == 0.0:
            finished = "every training label is right"
        yield Step("perceptron", w, finished=finished, notes={"errors": wrong})
