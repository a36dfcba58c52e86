"""The objective of a training as a sum over the parts of a corpus.

Each part's value and gradient are computed where the part is, and added up in the order of the
parts in double precision. So the sum has the same bits wherever and in whatever order they were
found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor
from dovetail.chain.train.objective import Objective, Precision
from dovetail.chain.train.shards.prepared import PARTS
from dovetail.chain.train.steps import State, Weights
from dovetail.errors import TrainingError
from dovetail.numeric import exp

TOGETHER = 8  # parts that descend stochastically from the same weights

Found = tuple[float, Weights]


@contextmanager
def _naming(number: int) -> Iterator[None]:
    """Errors that name the part."""
    try:
        yield
    except _native.ImpossibleSequence as error:
        raise TrainingError(
            f"part {number}: {error}, or its scores are beyond the range of numbers"
        ) from None


class ShardObjective(Objective):
    """Value, gradient and curvature of the regularised loss of a corpus on disk."""

    def __init__(
        self,
        problem: _native.Problem,
        c2: float,
        folder: str,
        parts: Sequence[int],
        executor: Executor,
        *,
        precision: Precision = "single",
    ) -> None:
        self.folder = folder
        self.parts = parts
        self.executor = executor
        super().__init__(problem, c2, precision=precision, threads=executor.threads)

    def __call__(self, w: Weights) -> tuple[float, Weights]:
        self.evaluations += 1
        gradient = np.zeros(self.size)
        value = self._add("gradient", evaluate_part, gradient, w, self.precision)
        value += self.c2 * float(np.sum(w * w))
        gradient += 2.0 * self.c2 * w
        return value, gradient

    def _fisher(self, w: Weights) -> Weights:
        fisher = np.zeros(self.size)
        self._add("curvature", curve_part, fisher, w, self.precision)
        return fisher

    def _add(
        self, step: str, task: Callable[..., Found], total: Weights, w: Weights, *given: Any
    ) -> float:
        """Add what a task finds for each part to the weights that it is about."""
        value = 0.0
        threads = self.executor.threads
        found = self.executor.each(step, task, self.parts, w, self.folder, threads, *given)
        for part, (own_value, own) in zip(self.parts, found, strict=True):
            value += own_value
            total[self.place(part)] += own
        return value

    def place(self, part: int) -> npt.NDArray[Any]:
        """Which of all weights a part's are."""
        return PARTS.get(self.folder, part).place

    def stochastic(self, w: Weights) -> ShardDescent:
        return ShardDescent(self, w)


class ShardDescent:
    """Stochastic gradient descent over parts.

    A few parts at a time descend from the same weights; a weight changes by the mean of the changes
    in the parts that have it.
    """

    def __init__(self, objective: ShardObjective, start: Weights) -> None:
        self.objective = objective
        self.w = start.copy()

    def epoch(self, rate: float, seed: int) -> float:
        """One pass over all parts, in an order of its own; the sum of losses met on the way."""
        objective = self.objective
        parts = np.random.default_rng(seed).permutation(np.array(objective.parts))
        groups = [parts[k : k + TOGETHER].tolist() for k in range(0, len(parts), TOGETHER)]
        shrinking = float(exp(-2.0 * objective.c2 * rate / max(len(groups), 1)))
        loss = 0.0
        for group in groups:
            change = np.zeros(objective.size)
            times = np.zeros(objective.size, np.float32)
            given = (self.w, objective.folder, rate, seed)
            found = objective.executor.each("descent", descend_part, group, *given)
            for part, (own_loss, own) in zip(group, found, strict=True):
                loss += own_loss
                place = objective.place(part)
                change[place] += own
                times[place] += 1
            self.w += change / np.maximum(times, 1)
            self.w *= shrinking
        return loss

    def weights(self, w: Weights) -> None:
        w[:] = self.w

    def state(self) -> State:
        return {"w": self.w}

    def restore(self, state: State) -> None:
        self.w = state["w"].copy()


def evaluate_part(
    number: int, w: Weights, folder: str, threads: int, precision: Precision
) -> Found:
    """A part's loss and its gradient by the part's weights."""
    part = PARTS.get(folder, number)
    own = w[part.place]
    gradient = np.empty_like(own)
    with _naming(number):
        return part.kernel(precision).evaluate(own, gradient, 0.0, threads), gradient


def curve_part(number: int, w: Weights, folder: str, threads: int, precision: Precision) -> Found:
    """The diagonal of a part's Fisher information."""
    part = PARTS.get(folder, number)
    own = w[part.place]
    fisher = np.empty_like(own)
    with _naming(number):
        part.kernel(precision).curvature(own, fisher, threads)
    return 0.0, fisher


def descend_part(number: int, w: Weights, folder: str, rate: float, seed: int) -> Found:
    """By how much one pass over a part, without penalty, changes its weights."""
    part = PARTS.get(folder, number)
    own = w[part.place]
    with _naming(number):
        descent = _native.Stochastic(part.problem, 0.0, own)
        loss = descent.epoch(rate, seed)
    after = np.empty_like(own)
    descent.weights(after)
    return loss, after - own
