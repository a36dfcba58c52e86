"""The automatic choice of a training method.

Where the dual exists (an L2 penalty, with or without L1; every label known; enough memory), ascend
it; its certificate says when to stop. Where it becomes slow (a weak penalty), L-BFGS (OWL-QN for
L1) takes turns with it. Where it does not exist, a quick start by stochastic gradients is followed
by L-BFGS. Such a start is far from the optimum: the curvature there would mislead.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial

import numpy as np

from dovetail.chain.train.alternation import alternate
from dovetail.chain.train.lbfgs import minimize, minimize_from, resume_from
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, State, Step, Weights
from dovetail.chain.train.stochastic import run_epochs

logger = logging.getLogger(__name__)

START_EPOCHS = 5
SLOW_L1 = (
    25.0  # c1 / (2 c2) above which the dual hardly rises: weights jump as soon as they leave 0
)


def choose_method(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """The dual and L-BFGS by turns where the dual exists, else L-BFGS alone."""
    obstacle = plan.dual_obstacle
    if not obstacle and plan.c1 > SLOW_L1 * 2.0 * objective.c2:
        obstacle = "the L1 penalty is too strong for so weak an L2 penalty"
    if not obstacle:
        return alternate(plan, objective, start, state)
    if start is not None:
        return minimize(plan, objective, start, state)
    logger.info("starting by stochastic gradients: %s", obstacle)
    return _start_stochastically(plan, objective, state)


def _start_stochastically(plan: Plan, objective: Objective, state: State | None) -> Iterator[Step]:
    if state is not None and "epochs" not in state:
        yield from resume_from(plan, objective, state)
        return
    w = np.zeros(objective.size)
    if state is not None:
        w = state["w"]
    for step in run_epochs(objective, w, plan.seed, START_EPOCHS, state):
        w = step.weights
        yield Step(**{**vars(step), "finished": None, "state": partial(_state, step)})
    value, _ = objective(w)
    if not np.isfinite(value) or value > objective(np.zeros_like(w))[0]:
        logger.info("the quick start went astray; starting from zero")
        w = np.zeros_like(w)
    yield from minimize_from(plan, objective, w, scale=None)


def _state(step: Step) -> State:
    assert step.state is not None
    return {**step.state(), "w": step.weights}
