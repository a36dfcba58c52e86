"""The training methods: which there are, and what each cannot do.

A method is a function that yields a `Step` a round. Here it gets its name, under which taggers,
recipes and the command line know it, and its limits, which are checked before training begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from dovetail.chain.train.automatic import choose_method
from dovetail.chain.train.dual import ascend_dual
from dovetail.chain.train.lbfgs import minimize
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.perceptron import train_perceptron
from dovetail.chain.train.steps import Plan, State, Step, Weights
from dovetail.chain.train.stochastic import descend_stochastically
from dovetail.errors import TrainingError

Method = Literal["auto", "lbfgs", "dual", "sgd", "perceptron"]


@dataclass(frozen=True)
class TrainingMethod:
    """A method, and what it can do; ``steps`` makes rounds from a plan, an objective and, where
    there are such, the weights of an earlier model, or the state of the round to go on from."""

    steps: Callable[[Plan, Objective, Weights | None, State | None], Iterator[Step]]
    l1: bool = False
    l2: bool = True
    weights: bool = False  # of sequences and labels
    partial_labels: bool = False
    weak_penalties: bool = False  # as weak as those of the graded prior
    warm_start: bool = True
    uses_dual: bool = False  # and the memory that it takes


METHODS: dict[Method, TrainingMethod] = {
    "auto": TrainingMethod(
        choose_method,
        l1=True,
        weights=True,
        partial_labels=True,
        weak_penalties=True,
        uses_dual=True,
    ),
    "lbfgs": TrainingMethod(
        minimize, l1=True, weights=True, partial_labels=True, weak_penalties=True
    ),
    "dual": TrainingMethod(ascend_dual, l1=True, warm_start=False, uses_dual=True),
    "sgd": TrainingMethod(descend_stochastically, weights=True, partial_labels=True),
    "perceptron": TrainingMethod(train_perceptron, l2=False),
}


def find_method(name: str) -> TrainingMethod:
    """The method of that name."""
    for known, method in METHODS.items():
        if known == name:
            return method
    raise TrainingError(f"there is no method '{name}'; choose from {', '.join(METHODS)}")
