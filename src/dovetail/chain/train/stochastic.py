"""Stochastic gradient descent: quick, without a certificate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, Step, Weights

EPOCHS = 30
RATE = 0.1


def descend_stochastically(
    plan: Plan, objective: Objective, start: Weights | None
) -> Iterator[Step]:
    """The method ``sgd``."""
    first = np.zeros(objective.size) if start is None else start
    return run_epochs(objective, first, plan.seed, EPOCHS)


def run_epochs(objective: Objective, start: Weights, seed: int, epochs: int) -> Iterator[Step]:
    """Epochs of stochastic gradient descent with a falling rate."""
    descent = objective.stochastic(start)
    for epoch in range(epochs):
        loss = descent.epoch(RATE / (1.0 + 0.5 * epoch), seed + epoch)
        w = np.empty_like(start)
        descent.weights(w)
        last = f"{epochs} epochs are done; not certified: use auto" if epoch + 1 == epochs else None
        yield Step("sgd", w, finished=last, notes={"online": loss})
