"""Dual ascent by exponentiated gradients: fast where there is an L2 penalty, and certified."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, State, Step, Weights
from dovetail.errors import TrainingError

CHECK = 0.6  # the gap is about twice what the dual value still has to rise
SLOW_RISE = 1e-3  # of the dual value, an epoch


class LeftRangeError(TrainingError):
    """Sums have become infinite."""

    def __init__(self) -> None:
        super().__init__("dual ascent left the range of numbers: use the method auto or lbfgs")


class DualAscent:
    """Epochs of the dual method; the dual value bounds the minimum of the objective from below.

    With acceleration that value may fall for some epochs, and rounding weighs more: it is for
    trainings that can go on by another method.
    """

    def __init__(self, plan: Plan, objective: Objective, *, accelerated: bool) -> None:
        self.c1 = plan.c1
        self.tolerance = plan.tolerance
        self.objective = objective
        self.values: list[float] = []  # since the last start
        self._dual = objective.dual(plan.c1, accelerated=accelerated)
        self._seed = plan.seed

    def run_epoch(self) -> float:
        """The dual value after one more epoch."""
        value = self._dual.epoch(self._seed)
        self._seed += 1
        if not np.isfinite(value):
            raise LeftRangeError
        self.values.append(value)
        return value

    def restart(self, w: Weights) -> None:
        """Go on from the distributions that weights ``w`` give."""
        self.values = [self._dual.restart(w)]

    def state(self) -> State:
        """What `restore` needs to go on from here."""
        return {"values": list(self.values), "seed": self._seed, "native": self._dual.state()}

    def restore(self, state: State) -> None:
        """Go on from where another ascent of the same problem was."""
        self.values, self._seed = list(state["values"]), state["seed"]
        self._dual.restore(state["native"])

    def refresh(self) -> float:
        """The dual value without what rounding has added up to."""
        return self._dual.refresh()

    def weights(self) -> Weights:
        w = np.empty(self.objective.size)
        self._dual.weights(w)
        return w

    def evaluate(self, w: Weights) -> tuple[float, float]:
        """The objective, its L1 term included, and the norm of the smooth part's gradient."""
        value, gradient = self.objective(w)
        return value + self.c1 * float(np.sum(np.abs(w))), float(np.sqrt(np.sum(gradient**2)))

    @property
    def nearly_done(self) -> bool:
        """Whether the dual value, if it goes on like this, has little left to rise."""
        values = self.values
        return len(values) > 2 and self._remaining(1) <= CHECK * self.tolerance * abs(values[-1])

    @property
    def slow(self) -> bool:
        """Whether the dual value hardly rises, but has more than 25 such epochs to go, about what a
        turn of L-BFGS costs."""
        values = self.values
        if len(values) < 5 or values[-1] - values[-3] > 2 * SLOW_RISE * abs(values[-1]):
            return False
        return self._remaining(2, skip=12) > CHECK * self.tolerance * abs(values[-1])

    @property
    def exhausted(self) -> bool:
        return len(self.values) > 6 and max(self.values[-3:]) <= max(self.values[:-3])

    def _remaining(self, stride: int, skip: int = 0) -> float:
        """How much the dual value may still rise, ``skip`` strides of epochs from now on, if its
        convergence stays geometric."""
        last = self.values[-1] - self.values[-1 - stride]
        before = self.values[-1 - stride] - self.values[-1 - 2 * stride]
        rate = min(1.0, max(0.0, last / before)) if before > 0.0 else 0.0
        return last * rate ** (1 + skip) / (1.0 - rate) if rate < 1.0 else np.inf


def ascend_dual(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """The method ``dual``."""
    if plan.dual_obstacle:
        raise TrainingError(f"the dual method cannot be used: {plan.dual_obstacle}")
    if start is not None:
        raise TrainingError("the dual method cannot start from a model; use auto or lbfgs")
    ascent = DualAscent(plan, objective, accelerated=False)
    if state is not None:
        ascent.restore(state)
    return ascend(ascent)


def ascend(ascent: DualAscent) -> Iterator[Step]:
    """Yield weights after each epoch; the dual value certifies how far they are from the optimum.

    The primal value costs an evaluation, so it is computed only when the dual value, which is free
    and rises geometrically, suggests that the gap may have closed.
    """
    while True:
        value = ascent.run_epoch()
        check = ascent.nearly_done
        bound = ascent.refresh() if check else value
        step = Step("dual", ascent.weights(), notes={"dual": value}, state=ascent.state)
        if check:
            step.objective, step.gradient_norm = ascent.evaluate(step.weights)
            step.gap = (step.objective - bound) / max(abs(step.objective), 1e-300)
            if step.gap <= ascent.tolerance:
                step.finished = certify(step.gap)
            elif ascent.exhausted:
                step.finished = "the limit of single precision is reached"
        yield step
        if step.finished:
            return


def certify(gap: float) -> str:
    return f"certified: within {gap:.2g} of the optimum (duality gap)"
