"""The function that training minimises, as optimisers see it.

f(w) = sum over sequences of weight * loss(w) + c2 |w|^2, with the L1 term c1 |w| left to the
optimiser. The sum runs over shards of sequences in fixed order, so it is the same for any number of
threads.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from dovetail import _native
from dovetail.chain.train.steps import State, Weights
from dovetail.cores import count_cores

Precision = Literal["single", "double"]


class Descent(Protocol):
    """Passes over the data that change weights as they go."""

    def epoch(self, rate: float, seed: int) -> float: ...
    def weights(self, w: Weights, /) -> None: ...
    def state(self) -> State: ...
    def restore(self, state: State, /) -> None: ...


class Dual(Protocol):
    """The dual of an objective: its value, which rises by epochs, bounds the objective from
    below."""

    def epoch(self, seed: int) -> float: ...
    def restart(self, w: Weights, /) -> float: ...
    def refresh(self) -> float: ...
    def weights(self, w: Weights, /) -> None: ...
    def state(self) -> State: ...
    def restore(self, state: State, /) -> None: ...


class Objective:
    """Value, gradient and curvature of the regularised loss of one training problem."""

    def __init__(
        self,
        problem: _native.Problem,
        c2: float,
        *,
        precision: Precision = "single",
        threads: int | None = None,
    ) -> None:
        self.problem = problem
        self.c2 = c2
        self.precision = precision
        self.threads = threads or count_cores()
        self.evaluations = 0
        self._kernel = self._kernel_of(precision)

    def _kernel_of(self, precision: Precision) -> _native.ObjectiveSingle | _native.ObjectiveDouble:
        kernel = _native.ObjectiveSingle if precision == "single" else _native.ObjectiveDouble
        return kernel(self.problem)

    def switch_to_double(self) -> None:
        """Evaluate in double precision from now on, where single is no longer enough."""
        self.precision = "double"
        self._kernel = self._kernel_of("double")

    def release(self) -> None:
        """Free the memory of evaluations; the next one takes it again, and has the same bits."""
        uses = self._kernel.uses
        self._kernel = self._kernel_of(self.precision)
        self._kernel.uses = uses

    def state(self) -> State:
        """What `restore` needs, so that the next evaluation has the same bits."""
        uses = self._kernel.uses
        return {"precision": self.precision, "evaluations": self.evaluations, "uses": uses}

    def restore(self, state: State) -> None:
        """Go on from where another objective of the same problem was."""
        self.evaluations = int(state["evaluations"])
        if state["precision"] != self.precision:
            self.switch_to_double()
        self._kernel.uses = int(state["uses"])

    @property
    def size(self) -> int:
        return self.problem.n_parameters

    def __call__(self, w: Weights) -> tuple[float, Weights]:
        """Value and gradient at ``w``."""
        gradient = np.empty(self.size)
        self.evaluations += 1
        value = self._kernel.evaluate(w, gradient, self.c2, self.threads)
        return value, gradient

    def inverse_curvature(self, w: Weights) -> Weights:
        """Inverse of the penalised Fisher diagonal at ``w``: the scale on which each weight
        lives."""
        return 1.0 / (2.0 * self.c2 + FISHER_SHARE * self._fisher(w) + 1e-3)

    def _fisher(self, w: Weights) -> Weights:
        fisher = np.empty(self.size)
        self._kernel.curvature(w, fisher, self.threads)
        return fisher

    def dual(self, c1: float, *, accelerated: bool) -> Dual:
        """Its dual, with the distributions that no weights give."""
        return _native.Dual(self.problem, c1, self.c2, accelerated)

    def stochastic(self, w: Weights) -> Descent:
        """Stochastic gradient descent from these weights."""
        return _native.Stochastic(self.problem, self.c2, w)


# Given that all other weights can move too, the loss curves less in one than its Fisher entry says.
FISHER_SHARE = 0.3
