"""What a training method reports after each of its rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]
Method = Literal["auto", "lbfgs", "dual", "sgd", "perceptron"]


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


@dataclass
class Step:
    """State of an optimiser after a round: weights, and how good they are known to be.

    A method that has nothing left to do sets ``finished`` to the reason.
    """

    phase: str
    weights: Weights
    objective: float | None = None
    gradient_norm: float | None = None
    gap: float | None = None
    finished: str | None = None
    notes: dict[str, float] = field(default_factory=dict)
