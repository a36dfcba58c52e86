"""A grid by enumeration: every combination of label sequences, scored one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Enumeration:
    """One sequence."""

    def __init__(
        self,
        nodes: Sequence[Floats],
        transitions: Sequence[Floats],
        cotemporal: Mapping[tuple[int, ...], Floats],
        lagged: Mapping[tuple[int, int], Floats],
        conditioned: Mapping[tuple[int, ...], Floats],
    ) -> None:
        self.sizes, self.T = [node.shape[1] for node in nodes], len(nodes[0])
        each = [product(range(size), repeat=self.T) for size in self.sizes]
        self.labellings = np.array(list(product(*each)))  # [labellings x layers x tokens]
        self.scores = np.zeros(len(self.labellings))
        for t in range(self.T):
            now = self.labellings[:, :, t].T
            for node, labels in zip(nodes, now, strict=True):
                self.scores += node[t][labels]
            for layers, score in cotemporal.items():
                self.scores += score[t][tuple(now[i] for i in layers)]
            if t == 0:
                continue
            before = self.labellings[:, :, t - 1].T
            for transition, a, b in zip(transitions, before, now, strict=True):
                self.scores += (transition if transition.ndim == 2 else transition[t])[a, b]
            for (i, j), score in lagged.items():
                self.scores += score[t][before[i], now[j]]
            for layers, score in conditioned.items():
                own = layers[-1]
                into = score[t] if score.ndim == len(layers) + 2 else score
                self.scores += into[(*(now[i] for i in layers[:-1]), before[own], now[own])]
        high = self.scores.max()
        self.log_z = float(high + np.log(np.exp(self.scores - high).sum()))
        self.p = np.exp(self.scores - self.log_z)

    def labels(self, *layers: int) -> Floats:
        """The probability of the labels that some layers give to each token."""
        out = np.zeros((self.T, *(self.sizes[i] for i in layers)))
        for t in range(self.T):
            np.add.at(out[t], tuple(self.labellings[:, i, t] for i in layers), self.p)
        return out

    def steps(self, before: int, after: int) -> Floats:
        """The probability of the label of a layer at the token before with that of another."""
        out = np.zeros((self.T, self.sizes[before], self.sizes[after]))
        for t in range(1, self.T):
            pair = self.labellings[:, before, t - 1], self.labellings[:, after, t]
            np.add.at(out[t], pair, self.p)
        return out

    def given_steps(self, *layers: int) -> Floats:
        """The probability of the labels of the last layer at the token before and at a token, with
        those of the others at that token."""
        own = layers[-1]
        out = np.zeros((self.T, *(self.sizes[i] for i in layers), self.sizes[own]))
        for t in range(1, self.T):
            given = (self.labellings[:, i, t] for i in layers[:-1])
            pair = self.labellings[:, own, t - 1], self.labellings[:, own, t]
            np.add.at(out[t], (*given, *pair), self.p)
        return out

    def within(self, layer: int, begin: int, end: int, mask: NDArray[np.bool_]) -> float:
        """The probability that all labels from the token before a span to the one after it are
        those that the mask allows."""
        holds = np.ones(len(self.labellings), dtype=bool)
        for row, t in enumerate(range(begin - 1, end + 1)):
            if 0 <= t < self.T:
                holds &= mask[row][self.labellings[:, layer, t]]
        return float(self.p[holds].sum())


def sequences(
    nodes: Sequence[Floats],
    transitions: Sequence[Floats],
    cotemporal: Mapping[tuple[int, ...], Floats],
    lagged: Mapping[tuple[int, int], Floats],
    bounds: Sequence[int],
    conditioned: Mapping[tuple[int, ...], Floats] | None = None,
) -> list[Enumeration]:
    """The sequences of a batch."""
    out = []
    for first, end in pairwise(bounds):
        part = slice(first, end)
        out.append(
            Enumeration(
                [node[part] for node in nodes],
                [
                    transition if transition.ndim == 2 else transition[part]
                    for transition in transitions
                ],
                {layers: score[part] for layers, score in cotemporal.items()},
                {layers: score[part] for layers, score in lagged.items()},
                {
                    layers: score[part] if score.ndim == len(layers) + 2 else score
                    for layers, score in (conditioned or {}).items()
                },
            )
        )
    return out
