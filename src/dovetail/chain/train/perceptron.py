"""The averaged structured perceptron (Collins 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dovetail import _native
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, State, Step, Weights

EPOCHS = 20


def train_perceptron(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """The method ``perceptron``: epochs until the training data is learnt, or there were enough."""
    first = np.zeros(objective.size) if start is None else start
    learner = _native.Perceptron(objective.problem, first)
    if state is not None:
        learner.restore(state["learner"])
    for epoch in range(state["epochs"] if state else 0, EPOCHS):
        wrong = learner.epoch(plan.seed + epoch)
        w = np.empty_like(first)
        learner.average(w)
        finished = f"{EPOCHS} epochs are done" if epoch + 1 == EPOCHS else None
        if wrong == 0.0:
            finished = "every training label is right"
        step = Step("perceptron", w, finished=finished, notes={"errors": wrong})
        step.state = partial(_state, learner, epoch + 1)
        yield step


def _state(learner: _native.Perceptron, epochs: int) -> State:
    return {"learner": learner.state(), "epochs": epochs}
