"""Stochastic gradient descent: quick, without a certificate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dovetail.chain.train.objective import Descent, Objective
from dovetail.chain.train.steps import Plan, State, Step, Weights

EPOCHS = 30
RATE = 0.1


def descend_stochastically(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """The method ``sgd``."""
    first = np.zeros(objective.size) if start is None else start
    return run_epochs(objective, first, plan.seed, EPOCHS, state)


def run_epochs(
    objective: Objective, start: Weights, seed: int, epochs: int, state: State | None = None
) -> Iterator[Step]:
    """Epochs of stochastic gradient descent with a falling rate."""
    descent = objective.stochastic(start)
    if state is not None:
        descent.restore(state["descent"])
    for epoch in range(state["epochs"] if state else 0, epochs):
        loss = descent.epoch(RATE / (1.0 + 0.5 * epoch), seed + epoch)
        w = np.empty_like(start)
        descent.weights(w)
        last = f"{epochs} epochs are done; not certified: use auto" if epoch + 1 == epochs else None
        step = Step("sgd", w, finished=last, notes={"online": loss})
        step.state = partial(_state, descent, epoch + 1)
        yield step


def _state(descent: Descent, epochs: int) -> State:
    return {"descent": descent.state(), "epochs": epochs}
