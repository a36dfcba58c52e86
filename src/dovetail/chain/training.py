"""The loop around any optimiser: progress, held-out scores, checkpoints, interruption."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dovetail.chain.steps import Progress, Step, Weights

logger = logging.getLogger(__name__)

Callback = Callable[[Progress], bool | None]
CHECKPOINT_SECONDS = 30.0


@dataclass
class Hooks:
    """What a user wants to happen while a training runs."""

    callback: Callback | None = None
    held_out: Callable[[Weights], float] | None = None
    patience: int = 5
    checkpoint: Callable[[Weights], None] | None = None


@dataclass
class Outcome:
    """Where a training ended."""

    weights: Weights
    stopped: str
    history: list[Progress] = field(default_factory=list)
    interrupted: bool = False
    kept: int = 0  # the round whose weights these are


def run(rounds: Iterator[Step], hooks: Hooks, max_iterations: int | None) -> Outcome:
    """Follow an optimiser until it, the user, the held-out data or Ctrl-C ends the training.

    With held-out data the weights of the best held-out score are kept, else the last ones.
    """
    started = time.monotonic()
    saved_at = started
    outcome: Outcome | None = None
    best_score, best_round = -np.inf, 0
    try:
        for iteration, step in enumerate(rounds, start=1):
            score = hooks.held_out(step.weights) if hooks.held_out else None
            if outcome is None:
                outcome = Outcome(step.weights, "the training ended")
            if score is None or score > best_score:
                outcome.weights, outcome.kept = step.weights, iteration
                best_score, best_round = (score if score is not None else best_score), iteration
            progress = Progress(
                iteration=iteration,
                phase=step.phase,
                objective=step.objective,
                gradient_norm=step.gradient_norm,
                gap=step.gap,
                held_out=score,
                n_active=int(np.count_nonzero(step.weights)),
                seconds=time.monotonic() - started,
            )
            outcome.history.append(progress)
            if hooks.checkpoint and time.monotonic() - saved_at >= CHECKPOINT_SECONDS:
                hooks.checkpoint(outcome.weights)
                saved_at = time.monotonic()
            reason = _reason(step, progress, hooks, iteration - best_round, max_iterations)
            if reason:
                outcome.stopped = reason
                break
    except KeyboardInterrupt:
        if outcome is None:
            raise
        outcome.interrupted = True
        outcome.stopped = (
            f"interrupted after {len(outcome.history)} rounds; the best model so far is kept"
        )
    if outcome is None:
        raise RuntimeError("the optimiser made no step")
    if hooks.checkpoint:
        hooks.checkpoint(outcome.weights)
    logger.info("training stopped: %s", outcome.stopped)
    return outcome


def _reason(
    step: Step, progress: Progress, hooks: Hooks, since_best: int, max_iterations: int | None
) -> str | None:
    if hooks.callback and hooks.callback(progress):
        return "the callback asked to stop"
    if step.finished:
        return step.finished
    if hooks.held_out and since_best >= hooks.patience:
        return f"no better held-out score for {hooks.patience} rounds"
    if max_iterations is not None and progress.iteration >= max_iterations:
        return f"the limit of {max_iterations} iterations is reached"
    return None
