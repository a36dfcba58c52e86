"""The loop around EM of any kind: progress, held-out likelihood, checkpoints, interruption."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.representation.parameters import Parameters

logger = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 30.0
Memory = Mapping[str, npt.NDArray[Any]]


class Progress(NamedTuple):
    """One round of a training, as callbacks receive it.

    ``log_likelihood`` is that of the training text with which the round began, in nats a token;
    ``held_out`` that of held-out text after the round; ``properties`` has what biases measure.
    """

    round: int
    log_likelihood: float
    held_out: float | None
    properties: Mapping[str, float]
    seconds: float


Callback = Callable[[Progress], bool | None]


@dataclass
class Step:
    """What a round of EM has made; ``memory`` is what it needs beside the parameters to go on.

    ``settled`` is False while what EM aims at still changes: a likelihood that stands still says
    nothing then.
    """

    parameters: Parameters
    log_likelihood: float
    properties: Mapping[str, float] = field(default_factory=dict)
    memory: Memory = field(default_factory=dict)
    settled: bool = True


@dataclass
class Hooks:
    """What a user wants to happen while a training runs."""

    callback: Callback | None = None
    held_out: Callable[[Parameters], float] | None = None
    patience: int = 3
    checkpoint: Callable[[Step, int], None] | None = None


@dataclass
class Outcome:
    """Where a training ended: the step that is kept, its round, why it ended, all rounds."""

    step: Step
    rounds: int
    stopped: str
    history: list[Progress]


def follow(
    steps: Iterator[Step], hooks: Hooks, *, done: int, rounds: int, tolerance: float
) -> Outcome:
    """Run EM until it gains little, or the user, the held-out text or Ctrl-C ends it.

    ``done`` rounds were made before. With held-out text the best step is kept, else the last.
    """
    started = saved_at = time.monotonic()
    outcome: Outcome | None = None
    best, best_round, before = -np.inf, done, -np.inf
    reason: str | None = None
    try:
        for number, step in enumerate(steps, start=done + 1):
            score = hooks.held_out(step.parameters) if hooks.held_out else None
            if outcome is None:
                outcome = Outcome(step, number, "", [])
            if score is None or score > best:
                outcome.step, outcome.rounds = step, number
                best, best_round = (best if score is None else score), number
            seconds = time.monotonic() - started
            progress = Progress(number, step.log_likelihood, score, step.properties, seconds)
            outcome.history.append(progress)
            if hooks.checkpoint and time.monotonic() - saved_at >= CHECKPOINT_SECONDS:
                hooks.checkpoint(step, number)
                saved_at = time.monotonic()
            gain = step.log_likelihood - before
            before = step.log_likelihood
            if hooks.callback and hooks.callback(progress):
                reason = "the callback asked to stop"
            elif hooks.held_out and number - best_round >= hooks.patience:
                reason = f"no better held-out likelihood for {hooks.patience} rounds"
            elif step.settled and abs(gain) < tolerance * abs(before):
                reason = "the likelihood hardly changes any more"
            elif number >= rounds:
                reason = f"the limit of {rounds} rounds is reached"
            if reason:
                break
    except KeyboardInterrupt:
        if outcome is None:
            raise
        reason = f"interrupted after {outcome.history[-1].round} rounds; what there is is kept"
    assert outcome is not None
    outcome.stopped = reason or "the training ended"
    if hooks.checkpoint:
        hooks.checkpoint(outcome.step, outcome.rounds)
    logger.info("training stopped: %s", outcome.stopped)
    return outcome
