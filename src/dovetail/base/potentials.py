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

    ``node`` [tokens x labels]; ``transitions`` [labels x labels], from the label before to the
    label, or such a matrix into each token. ``cotemporal`` has, by the names of columns that other
    layers write, factors of their labels at the same token, [tokens x their labels ... x labels];
    ``lagged`` those of such a label at the token before; ``conditioned`` what is added to the
    transitions given such labels at the token that they lead to, [tokens x their labels ... x
    labels x labels], or without tokens where all are alike. Minus infinity forbids.
    """

    labels: tuple[str, ...]
    node: Scores
    transitions: Scores
    cotemporal: Mapping[tuple[str, ...], Scores] = field(default_factory=dict)
    lagged: Mapping[str, Scores] = field(default_factory=dict)
    conditioned: Mapping[tuple[str, ...], Scores] = field(default_factory=dict)

    def scaled(self, weight: float) -> Potentials:
        """All scores times a weight."""
        if weight == 1.0:
            return self
        return Potentials(
            self.labels,
            _times(weight, self.node),
            _times(weight, self.transitions),
            {names: _times(weight, scores) for names, scores in self.cotemporal.items()},
            {name: _times(weight, scores) for name, scores in self.lagged.items()},
            {names: _times(weight, scores) for names, scores in self.conditioned.items()},
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
            self.transitions[..., order, :][..., order],
            {names: scores[..., order] for names, scores in self.cotemporal.items()},
            {name: scores[..., order] for name, scores in self.lagged.items()},
            {k: scores[..., order, :][..., order] for k, scores in self.conditioned.items()},
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
            padded(self.transitions, 2),
            {names: padded(scores, 1) for names, scores in self.cotemporal.items()},
            {name: padded(scores, 1) for name, scores in self.lagged.items()},
            {names: padded(scores, 2) for names, scores in self.conditioned.items()},
        ).ordered(labels)

    def __add__(self, other: Potentials) -> Potentials:
        other = other.ordered(self.labels)
        return Potentials(
            self.labels,
            self.node + other.node,
            _each_token(self.transitions, other.transitions)
            + _each_token(other.transitions, self.transitions),
            _summed(self.cotemporal, other.cotemporal),
            _summed(self.lagged, other.lagged),
            _summed(self.conditioned, other.conditioned),
        )


def _times(weight: float, scores: Scores) -> Scores:
    """What is forbidden stays so, also with a weight of 0."""
    return np.where(np.isneginf(scores), scores, weight * np.where(np.isneginf(scores), 0, scores))


def _each_token(scores: Scores, beside: Scores) -> Scores:
    return scores[None] if scores.ndim < beside.ndim else scores


def _summed(ours: Mapping[Key, Scores], theirs: Mapping[Key, Scores]) -> dict[Key, Scores]:
    out = dict(ours)
    for key, scores in theirs.items():
        if key in out:
            out[key] = _each_token(out[key], scores) + _each_token(scores, out[key])
        else:
            out[key] = scores
    return out
