"""A linear chain by enumeration: every label sequence is written down and scored.

    score(y) = sum_t score[t, y_t] + sum_{t > 0} transition[t, y_{t-1}, y_t]

Slow and obvious: the oracle for all kernels that compute the same by recursion.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass
class Chain:
    """One sequence of T tokens over L labels; what is not allowed scores minus infinity."""

    score: Floats  # [T, L]
    transition: Floats  # [T, L, L]: into token t; that of token 0 is not used
    paths: NDArray[np.int64] = field(init=False)  # [N, T], all label sequences
    scores: Floats = field(init=False)  # [N]

    def __post_init__(self) -> None:
        length, labels = self.score.shape
        every = list(itertools.product(range(labels), repeat=length))
        self.paths = np.array(every, dtype=np.int64).reshape(len(every), length)
        self.scores = np.zeros(len(self.paths))
        for t in range(length):
            self.scores += self.score[t, self.paths[:, t]]
            if t:
                self.scores += self.transition[t, self.paths[:, t - 1], self.paths[:, t]]

    def constrained(
        self,
        legal: Mask | None = None,
        start: Mask | None = None,
        end: Mask | None = None,
        allowed: Mask | None = None,
    ) -> Chain:
        """The same chain with legal transitions [L, L], end labels [L] and token labels [T, L]."""
        score, transition = self.score.copy(), self.transition.copy()
        if allowed is not None:
            score[~allowed] = -np.inf
        if legal is not None:
            transition[:, ~legal] = -np.inf
        if start is not None:
            score[:1, ~start] = -np.inf
        if end is not None:
            score[-1:, ~end] = -np.inf
        return Chain(score, transition)

    @property
    def possible(self) -> bool:
        return bool(np.isfinite(self.scores).any())

    @property
    def log_z(self) -> float:
        return float(np.logaddexp.reduce(self.scores))

    @property
    def probabilities(self) -> Floats:
        return np.asarray(np.exp(self.scores - self.log_z))

    def marginals(self) -> Floats:
        """P(y_t = j), [T, L]."""
        out = np.zeros_like(self.score)
        for t in range(len(out)):
            np.add.at(out[t], self.paths[:, t], self.probabilities)
        return out

    def transition_marginals(self) -> Floats:
        """P(y_t = i, y_{t+1} = j), [T - 1, L, L]."""
        length, labels = self.score.shape
        out = np.zeros((max(0, length - 1), labels, labels))
        for t in range(length - 1):
            np.add.at(out[t], (self.paths[:, t], self.paths[:, t + 1]), self.probabilities)
        return out

    def entropy(self) -> float:
        p = self.probabilities
        kept = p > 0
        return float(-(p[kept] * (self.scores[kept] - self.log_z)).sum())

    def best(self) -> tuple[int, ...]:
        """The best label sequence; among equals the lower label, from the last token on."""
        top = self.paths[self.scores == self.scores.max()]
        return min((tuple(map(int, path)) for path in top), key=lambda path: path[::-1])

    def k_best_scores(self, k: int) -> Floats:
        finite = self.scores[np.isfinite(self.scores)]
        return np.sort(finite)[::-1][:k]

    def score_of(self, labels: Sequence[int]) -> float:
        hit = (self.paths == np.asarray(labels, dtype=np.int64)).all(axis=1)
        return float(self.scores[hit][0])

    def span_log_probability(self, start: int, end: int, masks: Mask) -> float:
        """log P(y_t in masks[t - start + 1] for t = start - 1, ..., end), of tokens that exist."""
        length = len(self.score)
        keep = np.ones(len(self.paths), dtype=bool)
        for t in range(max(0, start - 1), min(length, end + 1)):
            keep &= masks[t - start + 1, self.paths[:, t]]
        if not keep.any():
            return -np.inf
        return float(np.logaddexp.reduce(self.scores[keep])) - self.log_z
