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
from dataclasses import dataclass, field
from math import inf
from typing import Generic, Protocol, TypeVar

from dovetail.base.at_once import should_end

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
class Hooks(Generic[S, P]):
    """What happens after each round.

    ``checkpoint`` is called with a step and its number, now and then and at the end; before the end
    with the latest step where ``resumes`` is set, so that training can go on from it, else with the
    best.
    """

    callback: Callable[[P], bool | None] | None = None
    held_out: Callable[[S], float] | None = None
    patience: int = 5
    checkpoint: Callable[[S, int], None] | None = None
    resumes: bool = False


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
    done: int = 0,
    unit: str = "rounds",
) -> Outcome[S, P]:
    """Take steps until they, the user, the held-out data, the limit or Ctrl-C end the training.

    ``report`` makes of a round what callbacks and the history get. With held-out data the step of
    the best score is kept, else the last. ``done`` rounds were made before; the ``limit`` includes
    them.
    """
    started = saved = time.monotonic()
    outcome: Outcome[S, P] | None = None
    best, best_round = -inf, done
    try:
        for number, step in enumerate(steps, start=done + 1):
            score = hooks.held_out(step) if hooks.held_out else None
            if outcome is None:
                outcome = Outcome(step, number)
            if score is None or score > best:
                outcome.step, outcome.kept = step, number
                best, best_round = best if score is None else score, number
            progress = report(Round(number, step, score, time.monotonic() - started))
            outcome.history.append(progress)
            if should_end():
                raise KeyboardInterrupt
            if hooks.checkpoint and time.monotonic() - saved >= CHECKPOINT_SECONDS:
                kept = (step, number) if hooks.resumes else (outcome.step, outcome.kept)
                hooks.checkpoint(*kept)
                saved = time.monotonic()
            if hooks.callback and hooks.callback(progress):
                outcome.stopped = "the callback asked to stop"
            elif step.finished:
                outcome.stopped = step.finished
            elif hooks.held_out and number - best_round >= hooks.patience:
                outcome.stopped = f"no better held-out score for {hooks.patience} rounds"
            elif limit is not None and number >= limit:
                outcome.stopped = f"the limit of {limit} {unit} is reached"
            else:
                continue
            break
    except KeyboardInterrupt:
        if outcome is None:
            raise
        outcome.interrupted = True
        rounds = done + len(outcome.history)
        outcome.stopped = f"{INTERRUPTED} after {rounds} rounds; the best model so far is kept"
    if outcome is None:
        raise RuntimeError("the training made no step")
    if hooks.checkpoint:
        hooks.checkpoint(outcome.step, outcome.kept)
    logger.info("training stopped: %s", outcome.stopped)
    return outcome


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
