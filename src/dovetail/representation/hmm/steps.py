"""What a round of EM gives, and what callbacks see of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

import numpy.typing as npt

from dovetail.base.training import Round
from dovetail.representation.hmm.parameters import Parameters

Memory = Mapping[str, npt.NDArray[Any]]
PASSING = "posteriors"  # in a memory: as large as the text, and only in checkpoints


def lasting(memory: Memory) -> Memory:
    """What a finished model keeps of a memory."""
    return {name: values for name, values in memory.items() if name != PASSING}


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
    finished: str | None = None


def report_progress(done: Round[Step]) -> Progress:
    """A round as callbacks receive it."""
    step = done.step
    return Progress(done.number, step.log_likelihood, done.held_out, step.properties, done.seconds)


def until_converged(
    steps: Iterable[Step], tolerance: float, before: float = -inf
) -> Iterator[Step]:
    """Steps that are finished when the likelihood changes by less than so much, relative to it;
    ``before`` is that of the step before the first."""
    for step in steps:
        gain, before = step.log_likelihood - before, step.log_likelihood
        if step.settled and abs(gain) < tolerance * abs(before):
            step.finished = "the likelihood hardly changes any more"
        yield step
