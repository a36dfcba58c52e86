"""Log-scores of one layer, as they add up in a joint model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dovetail.errors import DataError

Scores = npt.NDArray[np.float64]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Potentials:
    """What a layer's labels are worth over the tokens of a corpus, in logarithms.

    ``node`` [tokens x labels]; ``move`` [labels x labels], from the label before to the label, or
    such a matrix into each token. ``ties`` has, by the names of columns that other layers write,
    what depends on their labels at the same token, [tokens x their labels ... x labels];
    ``lags`` what depends on such a label at the token before. Minus infinity forbids.
    """

    labels: tuple[str, ...]
    node: Scores
    move: Scores
    ties: Mapping[tuple[str, ...], Scores] = field(default_factory=dict)
    lags: Mapping[str, Scores] = field(default_factory=dict)

    def scaled(self, weight: float) -> Potentials:
        """All scores times a weight."""
        if weight == 1.0:
            return self
        return Potentials(
            self.labels,
            _times(weight, self.node),
            _times(weight, self.move),
            {names: _times(weight, scores) for names, scores in self.ties.items()},
            {name: _times(weight, scores) for name, scores in self.lags.items()},
        )

    def ordered(self, labels: Sequence[str]) -> Potentials:
        """The same with its labels in another order."""
        if tuple(labels) == self.labels:
            return self
        if set(labels) != set(self.labels):
            odd = sorted(set(labels) ^ set(self.labels))
            raise DataError(
                f"these models have different labels: '{odd[0]}' is known to only one of them"
            )
        order = [self.labels.index(label) for label in labels]
        return Potentials(
            tuple(labels),
            self.node[:, order],
            self.move[..., order, :][..., order],
            {names: scores[..., order] for names, scores in self.ties.items()},
            {name: scores[..., order] for name, scores in self.lags.items()},
        )

    def extended(self, labels: Sequence[str]) -> Potentials:
        """The same over more labels: those that the model never saw, and has no weights for, score
        0."""
        new = [label for label in labels if label not in self.labels]
        if not new:
            return self.ordered(labels)

        def padded(scores: Scores, axes: int) -> Scores:
            widths = [(0, 0)] * (scores.ndim - axes) + [(0, len(new))] * axes
            return np.pad(scores, widths)

        return Potentials(
            (*self.labels, *new),
            padded(self.node, 1),
            padded(self.move, 2),
            {names: padded(scores, 1) for names, scores in self.ties.items()},
            {name: padded(scores, 1) for name, scores in self.lags.items()},
        ).ordered(labels)

    def __add__(self, other: Potentials) -> Potentials:
        other = other.ordered(self.labels)
        return Potentials(
            self.labels,
            self.node + other.node,
            _each_token(self.move, other.move) + _each_token(other.move, self.move),
            _summed(self.ties, other.ties),
            _summed(self.lags, other.lags),
        )


def _times(weight: float, scores: Scores) -> Scores:
    """What is forbidden stays so, also with a weight of 0."""
    return np.where(np.isneginf(scores), scores, weight * np.where(np.isneginf(scores), 0, scores))


def _each_token(move: Scores, beside: Scores) -> Scores:
    return move[None] if move.ndim < beside.ndim else move


def _summed(ours: Mapping[Key, Scores], theirs: Mapping[Key, Scores]) -> dict[Key, Scores]:
    out = dict(ours)
    for key, scores in theirs.items():
        out[key] = out[key] + scores if key in out else scores
    return out
