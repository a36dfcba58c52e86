"""A hidden Markov model by enumeration: every sequence of states is written down and weighed.

    p(x, y) = start[y_1] prod_t transitions[y_{t-1}, y_t] emissions[x_t, y_t] exp(-cost[t, y_t])

Slow and obvious: the oracle for the kernels.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Enumerated:
    """One sequence under a model, with a cost [T, K] for each token and state."""

    start: Floats
    transitions: Floats
    emissions: Floats  # [V, K]
    words: NDArray[np.int64]
    cost: Floats
    paths: NDArray[np.int64] = field(init=False)  # [N, T]
    weights: Floats = field(init=False)  # [N]: p(x, y)

    def __post_init__(self) -> None:
        length, states = len(self.words), len(self.start)
        self.paths = np.array(list(itertools.product(range(states), repeat=length)))
        self.weights = self.start[self.paths[:, 0]].copy()
        for t, word in enumerate(self.words):
            at = self.paths[:, t]
            self.weights *= self.emissions[word, at] * np.exp(-self.cost[t, at])
            if t:
                self.weights *= self.transitions[self.paths[:, t - 1], at]

    @property
    def log_likelihood(self) -> float:
        return float(np.log(self.weights.sum()))

    @property
    def probabilities(self) -> Floats:
        return np.asarray(self.weights / self.weights.sum())

    def posteriors(self) -> Floats:
        out = np.zeros((len(self.words), len(self.start)))
        for t in range(len(self.words)):
            np.add.at(out[t], self.paths[:, t], self.probabilities)
        return out

    def transition_counts(self) -> Floats:
        out = np.zeros_like(self.transitions)
        for t in range(1, len(self.words)):
            np.add.at(out, (self.paths[:, t - 1], self.paths[:, t]), self.probabilities)
        return out

    def best_weight(self) -> float:
        return float(self.weights.max())

    def weight_of(self, states: NDArray[np.int64]) -> float:
        return float(self.weights[(self.paths == states).all(axis=1)][0])
