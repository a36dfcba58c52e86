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
from dovetail.chain.train.lbfgs import minimize_from, resume_from
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, State, Step, Weights

logger = logging.getLogger(__name__)

ROUNDS = 5  # of L-BFGS, after which its progress is measured
PROGRESS = 0.07  # share of the gap that these rounds, or an epoch of the dual, should close
PATIENCE = 0.7  # the same share in the next turn, relative to this one's
LAST_PROGRESS = 0.005  # the same share for the dual when L-BFGS can go no further
EPOCHS = 100  # of the dual, at most, in one turn
RESTART = 3.0  # the dual starts again from weights whose gap is up to this times its own
ROUNDING = 3e-7  # error of the dual value, a token
BEST = {"phase", "weights", "objective", "gradient_norm", "gap"}  # what is kept of the best step


def alternate(
    plan: Plan, objective: Objective, start: Weights | None, state: State | None = None
) -> Iterator[Step]:
    """From ``start``, or from a fast start by the dual alone, to a certified end."""
    ascent = DualAscent(plan, objective, accelerated=True)
    if state is not None:
        ascent.restore(state["ascent"])
    in_turns = state is not None and "turn" in state
    if start is None and not in_turns:
        for step in _start_fast(ascent, resumed=state is not None):
            yield step
            if step.finished:
                return
        start = _better(ascent)
    turns = Alternation(plan, objective, ascent, start)
    if state is not None and in_turns:
        turns.restore(state)
    yield from turns.run()


def _start_fast(ascent: DualAscent, *, resumed: bool) -> Iterator[Step]:
    """Epochs of the dual until they are certified, slow, or no longer possible."""
    if resumed and (ascent.slow or ascent.exhausted):
        return
    try:
        for step in ascend(ascent):
            if not _closed(step.gap, ascent.tolerance):
                step.finished = None
            step.state = lambda: {"ascent": ascent.state()}
            yield step
            if ascent.slow or ascent.exhausted:
                return
    except (LeftRangeError, _native.ImpossibleSequence):
        logger.info("dual ascent left the range of numbers")


DESCENT, REST, ASCENT = "descent", "rest", "ascent"  # turns: REST is L-BFGS to its own end


class Alternation:
    """The best weights so far, and the best lower bound of the objective."""

    def __init__(
        self, plan: Plan, objective: Objective, ascent: DualAscent, start: Weights | None
    ) -> None:
        self.plan = plan
        self.objective = objective
        self.ascent = ascent
        self.rounding = ROUNDING * objective.problem.n_tokens
        self.bound = max(ascent.values, default=-np.inf) - self.rounding
        self.start = np.empty(0) if start is None else start
        self.best = Step("l-bfgs", self.start, np.inf)
        self.progress = PROGRESS
        self.turn = DESCENT
        self.exhausted: str | None = None  # why L-BFGS can go no further
        self.descended: list[float] = []  # values of this turn of L-BFGS
        self.last: Step | None = None  # of L-BFGS
        self.rounds: Iterator[Step] | None = None
        self.certifying: State | None = None  # this turn of the dual

    def state(self) -> State:
        """What `restore` needs; the ascent and the rounds of L-BFGS go on too."""
        assert self.last is not None
        assert self.last.state is not None
        best = {name: value for name, value in vars(self.best).items() if name in BEST}
        return {
            "turn": self.turn,
            "bound": self.bound,
            "best": best,
            "progress": self.progress,
            "exhausted": self.exhausted,
            "descended": list(self.descended),
            "certifying": None if self.certifying is None else dict(self.certifying),
            "rounds": self.last.state(),
            "ascent": self.ascent.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from where another alternation was; its ascent is restored before."""
        self.turn, self.bound, self.progress = state["turn"], state["bound"], state["progress"]
        self.exhausted, self.descended = state["exhausted"], list(state["descended"])
        self.best, self.certifying = Step(**state["best"]), state["certifying"]
        self.last = Step("l-bfgs", state["rounds"]["w"], state=lambda: state["rounds"])
        self.rounds = resume_from(self.plan, self.objective, state["rounds"])

    def run(self) -> Iterator[Step]:
        while True:
            rounds = self.rounds = self.rounds or self._minimize()
            if self.turn == DESCENT:
                for step in self._descend(rounds):
                    yield step
                    if step.finished:
                        return
                self.turn = REST if self._too_fine() and not self.exhausted else ASCENT
            if self.turn == REST:
                for step in rounds:
                    self.last = step
                    yield Step(**{**vars(step), "state": self.state})
                return
            if self.exhausted:
                self.progress = LAST_PROGRESS
            for step in self._certify():
                yield step
                if step.finished:
                    return
            if self.exhausted:
                final = {"gap": self._gap(), "finished": self.exhausted, "state": self.state}
                yield Step(**{**vars(self.best), **final})
                return
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Of L-BFGS: from the weights of the dual, unless they are far worse than its own."""
        self.turn, self.certifying, self.descended = DESCENT, None, []
        self.progress *= PATIENCE
        w = self.ascent.weights()
        if self._value_at(w) - self._value < self._value - self.bound:
            self.start = w
            self.rounds = None

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
        """Rounds of L-BFGS until they bring little, are exhausted, or certified."""
        values = self.descended
        while not self._brings_little(values):
            step = next(rounds, None)
            if step is None:
                return
            assert step.objective is not None
            self.last = step
            values.append(step.objective)
            if step.gap is not None:
                self.bound = max(self.bound, step.objective - step.gap * abs(step.objective))
            if step.objective <= self._value:
                self.best = step
            reported = self._report(step.phase, step)
            self.exhausted = reported.finished
            if not _closed(reported.gap, self.plan.tolerance):
                reported.finished = None
            yield reported

    def _brings_little(self, values: list[float]) -> bool:
        if len(values) <= ROUNDS or values[-1] > self._value:
            return False
        closed = values[-1 - ROUNDS] - values[-1]
        return closed < self.progress * (values[-1] - self.bound)

    def _certify(self) -> Iterator[Step]:
        """Epochs of the dual until they bring little, from the best weights if that is no step
        back, or else if going on from where the dual was brings little."""
        ascent = self.ascent
        at = self.certifying
        if at is None:
            gap = self._gap_at_best()
            own = bool(ascent.values) and gap >= RESTART * (self._value - ascent.values[-1])
            if not own:
                ascent.restart(self.best.weights)
            at = self.certifying = {"own": own, "known": self.bound, "epochs": 0}
        elif self._turn_is_over(at):
            return
        while at["epochs"] < EPOCHS:
            try:
                value = ascent.run_epoch() - self.rounding
            except (LeftRangeError, _native.ImpossibleSequence):
                logger.info("dual ascent left the range of numbers")
                return
            if _closed(self._gap(value), self.plan.tolerance):
                value = ascent.refresh() - self.rounding
            self.bound = max(self.bound, value)
            at["value"] = value
            at["epochs"] += 1
            yield self._report("dual", self.best)
            if self._turn_is_over(at):
                return

    def _turn_is_over(self, at: State) -> bool:
        """Whether a turn of the dual brings little, also from the best weights."""
        values, value = self.ascent.values, at["value"]
        if value <= at["known"] or len(values) <= ROUNDS:
            return False
        if values[-1] - values[-3] >= 2 * self.progress * (self._value - value):
            return False
        if not at["own"]:
            return True
        at["own"], at["known"] = False, self.bound
        self.ascent.restart(self.best.weights)
        return False

    def _report(self, phase: str, step: Step) -> Step:
        gap = self._gap()
        finished = certify(gap) if _closed(gap, self.plan.tolerance) else step.finished
        best = self.best
        found = (best.weights, best.objective, step.gradient_norm, gap, finished)
        return Step(phase, *found, state=self.state)

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
