"""What a training method is given, and what it reports after each of its rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.base.training import Round

Weights = npt.NDArray[np.float64]
State = dict[str, Any]
"""What an optimiser needs to go on after a round: numbers, texts, arrays, lists of numbers, and
states of its parts."""


@dataclass(frozen=True)
class Plan:
    """What a training should do, and what the data allows."""

    c1: float
    tolerance: float
    seed: int
    dual_obstacle: str | None  # why the dual cannot be used, if it cannot
    convex: bool  # all labels known


@dataclass
class Step:
    """State of an optimiser after a round: weights, and how good they are known to be.

    A method that has nothing left to do sets ``finished`` to the reason. ``state`` may be called
    until the next step is taken: the same method goes on from what it gives.
    """

    phase: str
    weights: Weights
    objective: float | None = None
    gradient_norm: float | None = None
    gap: float | None = None
    finished: str | None = None
    notes: dict[str, float] = field(default_factory=dict)
    state: Callable[[], State] | None = None


class Progress(NamedTuple):
    """One line of a training's history, as callbacks receive it.

    ``gap`` bounds how far ``objective`` can be from its minimum, relative to it: a certificate,
    where the method has one. ``held_out`` is the score on held-out data, where there is some.
    """

    iteration: int
    phase: str
    objective: float | None
    gradient_norm: float | None
    gap: float | None
    held_out: float | None
    n_active: int
    seconds: float


Callback = Callable[[Progress], bool | None]


def report_progress(done: Round[Step]) -> Progress:
    """A round as callbacks receive it."""
    step = done.step
    return Progress(
        iteration=done.number,
        phase=step.phase,
        objective=step.objective,
        gradient_norm=step.gradient_norm,
        gap=step.gap,
        held_out=done.held_out,
        n_active=int(np.count_nonzero(step.weights)),
        seconds=done.seconds,
    )
