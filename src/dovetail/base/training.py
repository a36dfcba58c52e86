"""The loop around everything that is trained in rounds: progress, callbacks, held-out scores,
stopping, checkpoints, Ctrl-C.

What a round does comes as an iterator of steps; what callers see of a round, what is scored and
what a checkpoint holds is given by the caller too.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Integral
from typing import Generic, Protocol, TypeVar

from dovetail.base.at_once import should_end
from dovetail.errors import DovetailError, TrainingError
from dovetail.interruption import interrupted_once

logger = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 30.0
DATED = "SOURCE_DATE_EPOCH"  # as for reproducible builds: seconds since 1970 that stand for now
INTERRUPTED = "interrupted"  # how the reason begins where Ctrl-C ended a training


class Step(Protocol):
    """What a round has come to; ``finished`` is the reason where no other should follow."""

    finished: str | None


S = TypeVar("S", bound=Step)
P = TypeVar("P")


@dataclass(frozen=True)
class Round(Generic[S]):
    """A round that is over: its number, its step, the score on held-out data where there is some,
    and the seconds since training began."""

    number: int
    step: S
    held_out: float | None
    seconds: float


@dataclass
class Position(Generic[S, P]):
    """Where a training stands between two rounds: another process can go on from here.

    ``kept`` is the number of the step that is kept, ``score`` its score on held-out data.
    """

    number: int
    step: S
    kept: int
    kept_step: S
    score: float = -inf
    history: list[P] = field(default_factory=list)
    seconds: float = 0.0
    ended: bool = False
    """Whether no other round follows."""


@dataclass
class Hooks(Generic[S, P]):
    """What happens after each round.

    ``checkpoint`` is called with the position, now and then and at the end. Where it fails there
    is a warning, and the training goes on.
    """

    callback: Callable[[P], bool | None] | None = None
    held_out: Callable[[S], float] | None = None
    patience: int = 5
    checkpoint: Callable[[Position[S, P]], None] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.patience, Integral) or self.patience < 1:
            raise TrainingError(f"patience is {self.patience!r}; give a number of at least 1")


@dataclass
class Outcome(Generic[S, P]):
    """Where a training ended: the step that is kept and its number, why it ended, all rounds."""

    step: S
    kept: int
    stopped: str = "the training ended"
    interrupted: bool = False
    history: list[P] = field(default_factory=list)


def run_rounds(
    steps: Iterable[S],
    report: Callable[[Round[S]], P],
    hooks: Hooks[S, P],
    *,
    limit: int | None = None,
    begin: Position[S, P] | None = None,
    unit: str = "rounds",
) -> Outcome[S, P]:
    """Take steps until they, the user, the held-out data, the limit or Ctrl-C end the training.

    ``report`` makes of a round what callbacks and the history get. With held-out data the step of
    the best score is kept, else the last. A training that is resumed goes on where it stood when
    it ``begins``; the ``limit`` includes the rounds made before.
    """
    rounds = _Rounds(report, hooks, limit, unit, begin)
    with interrupted_once():
        return rounds.run(steps)


class _Rounds(Generic[S, P]):
    """A training under way."""

    def __init__(
        self,
        report: Callable[[Round[S]], P],
        hooks: Hooks[S, P],
        limit: int | None,
        unit: str,
        begin: Position[S, P] | None,
    ) -> None:
        self.report = report
        self.hooks = hooks
        self.limit = limit
        self.unit = unit
        self.at = begin
        self.saved = time.monotonic()
        self.started = self.saved - (begin.seconds if begin else 0.0)
        self.between = False  # rounds, so that the position can be written

    def run(self, steps: Iterable[S]) -> Outcome[S, P]:
        stopped, interrupted = "the training ended", False
        try:
            for step in steps:
                reason = self._take(step)
                if reason:
                    stopped = reason
                    break
                self.between = False
        except KeyboardInterrupt:
            if self.at is None:
                raise
            interrupted = True
            stopped = f"{INTERRUPTED} after {self.at.number} rounds; the best model so far is kept"
        if self.at is None:
            raise RuntimeError("the training made no step")
        self._save_last(interrupted)
        logger.info("training stopped: %s", stopped)
        return Outcome(self.at.kept_step, self.at.kept, stopped, interrupted, self.at.history)

    def _take(self, step: S) -> str | None:
        """After a round; the result is the reason to stop, if there is one."""
        hooks, at = self.hooks, self.at
        number = at.number + 1 if at else 1
        score = hooks.held_out(step) if hooks.held_out else None
        seconds = time.monotonic() - self.started
        progress = self.report(Round(number, step, score, seconds))
        history = [*at.history, progress] if at else [progress]
        if at is None or score is None or score > at.score:
            best = -inf if score is None else score
            self.at = Position(number, step, number, step, best, history, seconds)
        else:
            self.at = Position(number, step, at.kept, at.kept_step, at.score, history, seconds)
        self.between = True
        if should_end():
            raise KeyboardInterrupt
        if hooks.callback and hooks.callback(progress):
            return "the callback asked to stop"
        if step.finished:
            return step.finished
        if hooks.held_out and number - self.at.kept >= hooks.patience:
            return f"no better held-out score for {hooks.patience} rounds"
        if self.limit is not None and number >= self.limit:
            return f"the limit of {self.limit} {self.unit} is reached"
        if time.monotonic() - self.saved >= CHECKPOINT_SECONDS:
            self._save(self.at)
        return None

    def _save_last(self, interrupted: bool) -> None:
        """In the end. What Ctrl-C ends can be resumed: in the midst of a round, from the checkpoint
        that there is."""
        if self.at and (not interrupted or self.between):
            self._save(replace(self.at, ended=not interrupted))

    def _save(self, position: Position[S, P]) -> None:
        if self.hooks.checkpoint is None:
            return
        try:
            self.hooks.checkpoint(position)
        except (DovetailError, OSError, MemoryError) as error:
            logger.warning(
                "no checkpoint of round %d, but training goes on: %s", position.number, error
            )
        self.saved = time.monotonic()


def was_interrupted(stopped: str) -> bool:
    """Whether a training ended by Ctrl-C, by the reason that it gives."""
    return stopped.startswith(INTERRUPTED)


def training_date() -> str:
    """Today's date (UTC), for the facts of a training; that of `DATED` if it is set."""
    given = os.environ.get(DATED, "")
    return time.strftime("%Y-%m-%d", time.gmtime(int(given) if given.isdecimal() else time.time()))


def training_seconds(seconds: float) -> float:
    """How long a training took, for its facts; nothing if `DATED` is set, since it is never the
    same twice."""
    return 0.0 if os.environ.get(DATED) else seconds
