"""A grid by enumeration: every combination of label sequences, scored one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Paths = tuple[tuple[int, ...], ...]  # the labels of each layer


class Enumeration:
    def __init__(
        self,
        nodes: Sequence[Floats],
        moves: Sequence[Floats],
        couplings: Mapping[tuple[int, int], Floats],
    ) -> None:
        self.nodes, self.moves, self.couplings = nodes, moves, couplings
        self.scores = {paths: self.score(paths) for paths in self.labellings()}
        values = np.array(list(self.scores.values()))
        high = values.max()
        self.log_z = float(high + np.log(np.exp(values - high).sum()))

    def labellings(self) -> Iterator[Paths]:
        each = [product(range(node.shape[1]), repeat=len(node)) for node in self.nodes]
        return product(*each)

    def score(self, paths: Paths) -> float:
        total = 0.0
        for node, move, path in zip(self.nodes, self.moves, paths, strict=True):
            total += sum(node[t, y] for t, y in enumerate(path))
            total += sum(move[a, b] for a, b in pairwise(path))
        for (a, b), score in self.couplings.items():
            total += sum(
                score[t, y, z] for t, (y, z) in enumerate(zip(paths[a], paths[b], strict=True))
            )
        return float(total)

    def expect(self, count: Any) -> Any:
        """The expectation of a function of the labellings."""
        return sum(
            np.exp(score - self.log_z) * np.asarray(count(paths), float)
            for paths, score in self.scores.items()
            if np.isfinite(score)
        )
