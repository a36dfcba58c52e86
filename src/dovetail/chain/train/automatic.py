"""The automatic choice of a training method.

Where the dual exists (L2 alone, every label known, enough memory), ascend it; its certificate says
when to stop. Where it converges slowly (a weak penalty), or does not exist, a quick start by it or
by stochastic gradients is followed by L-BFGS (OWL-QN for L1). Such a start is far from the optimum:
the curvature there would mislead, so that is used only after earlier models.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np

from dovetail.chain.train.dual import dual
from dovetail.chain.train.lbfgs import minimize, minimize_from
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, Step, Weights
from dovetail.chain.train.stochastic import run_epochs

logger = logging.getLogger(__name__)

DUAL_PENALTY = 0.1  # below this c2 the dual is only a start
START_EPOCHS = 5
SLOW_RATE = 0.9  # the dual's remaining distance shrinks by less than a tenth an epoch


def choose_method(plan: Plan, objective: Objective, start: Weights | None) -> Iterator[Step]:
    """L-BFGS from an earlier model; else a fast start, then a certified finish."""
    return _start_fast(plan, objective) if start is None else minimize(plan, objective, start)


def _start_fast(plan: Plan, objective: Objective) -> Iterator[Step]:
    w = np.zeros(objective.size)
    if plan.dual_obstacle:
        logger.info("starting by stochastic gradients: %s", plan.dual_obstacle)
        rounds = run_epochs(objective, w, plan.seed, START_EPOCHS)
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
        w = np.zeros_like(w)
    yield from minimize_from(plan, objective, w, scale=None)
