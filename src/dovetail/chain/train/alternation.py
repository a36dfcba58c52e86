"""Dual ascent and L-BFGS by turns, for penalties so weak that each alone is slow.

Dual ascent visits one sequence after the other: it soon finds the weights of rare features, but is
slow where all sequences depend on each other. L-BFGS is the other way round, and certifies late,
since its bound, the gradient's norm, magnifies all small errors. A dual that starts from the
distributions of weights found by L-BFGS certifies them after a few epochs; L-BFGS that starts from
the dual's weights needs fewer rounds. So each goes on until it no longer closes much of the gap
between the best objective and the best bound, and hands over to the other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np

from dovetail import _native
from dovetail.chain.train.dual import DualAscent, LeftRangeError, ascend, certify
from dovetail.chain.train.lbfgs import minimize_from
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, Step, Weights

logger = logging.getLogger(__name__)

ROUNDS = 5  # of L-BFGS, after which its progress is measured
PROGRESS = 0.07  # share of the gap that these rounds, or an epoch of the dual, should close
PATIENCE = 0.7  # the same share in the next turn, relative to this one's
LAST_PROGRESS = 0.005  # the same share for the dual when L-BFGS can go no further
EPOCHS = 100  # of the dual, at most, in one turn
RESTART = 3.0  # the dual starts again from weights whose gap is up to this times its own
ROUNDING = 3e-7  # error of the dual value, a token


def alternate(plan: Plan, objective: Objective, start: Weights | None) -> Iterator[Step]:
    """From ``start``, or from a fast start by the dual alone, to a certified end."""
    ascent = DualAscent(plan, objective, accelerated=True)
    if start is None:
        for step in _start_fast(ascent):
            yield step
            if step.finished:
                return
        start = _better(ascent)
    yield from Alternation(plan, objective, ascent, start).run()


def _start_fast(ascent: DualAscent) -> Iterator[Step]:
    """Epochs of the dual until they are certified, slow, or no longer possible."""
    try:
        for step in ascend(ascent):
            if not _closed(step.gap, ascent.tolerance):
                step.finished = None
            yield step
            if ascent.slow or ascent.exhausted:
                return
    except (LeftRangeError, _native.ImpossibleSequence):
        logger.info("dual ascent left the range of numbers")


class Alternation:
    """The best weights so far, and the best lower bound of the objective."""

    def __init__(
        self, plan: Plan, objective: Objective, ascent: DualAscent, start: Weights
    ) -> None:
        self.plan = plan
        self.objective = objective
        self.ascent = ascent
        self.rounding = ROUNDING * objective.problem.n_tokens
        self.bound = max(ascent.values, default=-np.inf) - self.rounding
        self.best = Step("l-bfgs", start, np.inf)
        self.start = start
        self.progress = PROGRESS

    def run(self) -> Iterator[Step]:
        rounds = self._minimize()
        while True:
            exhausted = None
            for step in self._descend(rounds):
                exhausted = step.finished
                if _closed(step.gap, self.plan.tolerance):
                    yield step
                    return
                step.finished = None
                yield step
            if self._too_fine() and not exhausted:
                yield from rounds
                return
            if exhausted:
                self.progress = LAST_PROGRESS
            for step in self._certify():
                yield step
                if step.finished:
                    return
            if exhausted:
                yield Step(**{**vars(self.best), "gap": self._gap(), "finished": exhausted})
                return
            self.progress *= PATIENCE
            w = self.ascent.weights()
            if self._value_at(w) - self._value < self._value - self.bound:
                self.start = w
                rounds = self._minimize()

    @property
    def _value(self) -> float:
        assert self.best.objective is not None
        return self.best.objective

    def _value_at(self, w: Weights) -> float:
        """The objective; infinite at weights of a dual that has left the range of numbers."""
        if not np.isfinite(w).all():
            return np.inf
        try:
            return self.ascent.evaluate(w)[0]
        except _native.ImpossibleSequence:
            return np.inf

    def _minimize(self) -> Iterator[Step]:
        scale = self.objective.inverse_curvature(self.start) if self.start.any() else None
        return minimize_from(self.plan, self.objective, self.start, scale=scale)

    def _descend(self, rounds: Iterator[Step]) -> Iterator[Step]:
        """Rounds of L-BFGS until they bring little."""
        values: list[float] = []
        for step in rounds:
            assert step.objective is not None
            values.append(step.objective)
            if step.gap is not None:
                self.bound = max(self.bound, step.objective - step.gap * abs(step.objective))
            if step.objective <= self._value:
                self.best = step
            yield self._report(step.phase, step)
            if len(values) > ROUNDS:
                closed = values[-1 - ROUNDS] - values[-1]
                if values[-1] <= self._value and closed < self.progress * (values[-1] - self.bound):
                    return

    def _certify(self) -> Iterator[Step]:
        """Epochs of the dual until they bring little, from the best weights if that is no step
        back, or else if going on from where the dual was brings little."""
        ascent = self.ascent
        own = ascent.values and self._gap_at_best() >= RESTART * (self._value - ascent.values[-1])
        if not own:
            ascent.restart(self.best.weights)
        known = self.bound
        for _ in range(EPOCHS):
            try:
                value = ascent.run_epoch() - self.rounding
            except (LeftRangeError, _native.ImpossibleSequence):
                logger.info("dual ascent left the range of numbers")
                return
            if _closed(self._gap(value), self.plan.tolerance):
                value = ascent.refresh() - self.rounding
            self.bound = max(self.bound, value)
            yield self._report("dual", self.best)
            if value > known and len(ascent.values) > ROUNDS:
                risen = ascent.values[-1] - ascent.values[-3]
                if risen >= 2 * self.progress * (self._value - value):
                    continue
                if not own:
                    return
                own, known = False, self.bound
                ascent.restart(self.best.weights)

    def _report(self, phase: str, step: Step) -> Step:
        gap = self._gap()
        finished = certify(gap) if _closed(gap, self.plan.tolerance) else step.finished
        best = self.best
        return Step(phase, best.weights, best.objective, step.gradient_norm, gap, finished)

    def _gap_at_best(self) -> float:
        """The gap to the dual value of the distributions that the best weights give."""
        return np.inf if self.best.gap is None else self.best.gap * abs(self._value)

    def _gap(self, bound: float | None = None) -> float:
        bound = self.bound if bound is None else bound
        return (self._value - bound) / max(abs(self._value), 1e-300)

    def _too_fine(self) -> bool:
        """Whether the dual's rounding errors are as large as the gap that should be reached."""
        return self.plan.tolerance * abs(self._value) < 2 * self.rounding


def _closed(gap: float | None, tolerance: float) -> bool:
    return gap is not None and gap <= tolerance


def _better(ascent: DualAscent) -> Weights:
    """The weights of the dual, unless no weights at all are better."""
    w = ascent.weights()
    zero = np.zeros_like(w)
    at_zero = ascent.evaluate(zero)[0]
    if not np.isfinite(w).all():
        return zero
    value = ascent.evaluate(w)[0]
    return w if np.isfinite(value) and value <= at_zero else zero
