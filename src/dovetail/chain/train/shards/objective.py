"""The objective of a training as a sum over the parts of a corpus.

Each part's value and gradient are computed where the part is. Values are added up in the order of
the parts, gradients as whole multiples of a power of two: the sums have the same bits wherever and
in whatever order they were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor, Multiples, WholeNumbers
from dovetail.chain.train.objective import Objective, Precision
from dovetail.chain.train.shards.dual import ShardDual
from dovetail.chain.train.shards.prepared import PARTS, Reach
from dovetail.chain.train.steps import State, Weights
from dovetail.errors import TrainingError
from dovetail.numeric import exp

TOGETHER = 8  # parts that descend stochastically from the same weights
FARTHEST = 2.0**20  # that a weight moves in a pass over these parts


@contextmanager
def _naming(number: int) -> Iterator[None]:
    """Errors that name the part."""
    try:
        yield
    except _native.ImpossibleSequence as error:
        raise TrainingError(
            f"part {number}: {error}, or its scores are beyond the range of numbers"
        ) from None
    except OverflowError:
        raise TrainingError(f"part {number}: its scores are beyond the range of numbers") from None


class ShardObjective(Objective):
    """Value, gradient and curvature of the regularised loss of a corpus on disk."""

    def __init__(
        self,
        problem: _native.Problem,
        c2: float,
        folder: str,
        reaches: Sequence[Reach],
        executor: Executor,
        *,
        precision: Precision = "single",
    ) -> None:
        self.folder = folder
        self.parts = range(len(reaches))
        self.executor = executor
        self.reaches = reaches
        self.ascent: ShardDual | None = None
        self._gradient = Multiples(sum(reach.gradient for reach in reaches))
        self._curvature = Multiples(sum(reach.curvature for reach in reaches))
        super().__init__(problem, c2, precision=precision, threads=executor.threads)

    def __call__(self, w: Weights) -> tuple[float, Weights]:
        self.evaluations += 1
        value, gradient = self._add_up("gradient", evaluate_part, self._gradient, w)
        value += self.c2 * float(np.sum(w * w))
        gradient += 2.0 * self.c2 * w
        return value, gradient

    def _fisher(self, w: Weights) -> Weights:
        return self._add_up("curvature", curve_part, self._curvature, w)[1]

    def _add_up(
        self, step: str, task: Callable[..., float], unit: Multiples, w: Weights
    ) -> tuple[float, Weights]:
        """Sums of the values of all parts, and of what they add to the weights they are about."""
        sums = np.zeros(self.size, np.int64)
        # single precision is what kernels would make of the weights themselves
        sent = w.astype(np.float32) if self.precision == "single" else w
        given = (sent, self.folder, unit.exponent, self.executor.threads, self.precision)
        values = self.executor.add_up(step, task, self.parts, [sums], *given)
        return sum(values), unit.to_real(sums)

    def dual(self, c1: float, *, accelerated: bool) -> ShardDual:
        """Its dual, for an L2 penalty alone; blocks are not accelerated."""
        assert not c1, accelerated
        self.ascent = ShardDual(self.folder, self.reaches, self.size, self.c2, self.executor)
        return self.ascent

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
        unit = Multiples(TOGETHER * FARTHEST)
        loss = 0.0
        for group in groups:
            sums = np.zeros(objective.size, np.int64)
            times = np.zeros(objective.size, np.int32)
            given = (self.w, objective.folder, unit.exponent, rate, seed)
            loss += sum(
                objective.executor.add_up("descent", descend_part, group, [sums, times], *given)
            )
            self.w += unit.to_real(sums) / np.maximum(times, 1)
            self.w *= shrinking
        return loss

    def weights(self, w: Weights) -> None:
        w[:] = self.w

    def state(self) -> State:
        return {"w": self.w}

    def restore(self, state: State) -> None:
        self.w = state["w"].copy()


def evaluate_part(
    number: int,
    sums: Sequence[WholeNumbers],
    w: npt.NDArray[Any],
    folder: str,
    exponent: int,
    threads: int,
    precision: Precision,
) -> float:
    """A part's loss, and its gradient added to that of the others."""
    part = PARTS.get(folder, number)
    own = w[part.place].astype(np.float64)
    gradient = np.empty_like(own)
    with _naming(number):
        loss: float = part.kernel(precision).evaluate(own, gradient, 0.0, threads)
        _native.add_multiples(sums[0], part.place, gradient, exponent)
    return loss


def curve_part(
    number: int,
    sums: Sequence[WholeNumbers],
    w: npt.NDArray[Any],
    folder: str,
    exponent: int,
    threads: int,
    precision: Precision,
) -> float:
    """The diagonal of a part's Fisher information, added to that of the others."""
    part = PARTS.get(folder, number)
    own = w[part.place].astype(np.float64)
    fisher = np.empty_like(own)
    with _naming(number):
        part.kernel(precision).curvature(own, fisher, threads)
        _native.add_multiples(sums[0], part.place, fisher, exponent)
    return 0.0


def descend_part(
    number: int,
    sums: Sequence[WholeNumbers],
    w: Weights,
    folder: str,
    exponent: int,
    rate: float,
    seed: int,
) -> float:
    """The loss met in one pass over a part without penalty; added are the changes of its weights,
    and how many parts have each."""
    part = PARTS.get(folder, number)
    own = w[part.place]
    with _naming(number):
        descent = _native.Stochastic(part.problem, 0.0, own)
        loss = descent.epoch(rate, seed)
        after = np.empty_like(own)
        descent.weights(after)
        _native.add_multiples(sums[0], part.place, after - own, exponent)
    sums[1][part.place] += 1
    return loss
