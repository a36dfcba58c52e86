"""A factorial CRF over one sequence, with exact inference.

Layers are chains with labels of their own; couplings tie the labels that two of them give to the
same token. The score of a labelling is the sum of all its label scores, moves and couplings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.errors import DataError

Scores = npt.NDArray[np.float64]
LARGEST = 200_000  # joint states above which exact inference is refused


class GridMarginals(NamedTuple):
    """What is expected of a grid.

    ``labels`` has for each layer the probability of each label at each token, ``moves`` the
    expected number of each move, ``pairs`` for each coupling the probability of each pair of labels
    at each token.
    """

    log_z: float
    labels: list[Scores]
    moves: list[Scores]
    pairs: list[Scores]


@dataclass(frozen=True)
class Grid:
    """The scores of one sequence in several layers.

    ``nodes`` has for each layer a matrix [tokens x labels], ``moves`` a matrix [labels x labels] of
    the label before and the label; ``couplings`` maps two layers' numbers to an array
    [tokens x labels of the first x labels of the second]. A score of minus infinity forbids.

    >>> flat = np.zeros((2, 2))
    >>> tie = np.tile(np.eye(2) * 5, (2, 1, 1))
    >>> grid = Grid([np.array([[3.0, 0], [0, 3]]), flat], [flat, flat], {(0, 1): tie})
    >>> [labels.tolist() for labels in grid.best()[0]]
    [[0, 1], [0, 1]]
    """

    nodes: Sequence[npt.ArrayLike]
    moves: Sequence[npt.ArrayLike]
    couplings: Mapping[tuple[int, int], npt.ArrayLike]

    @cached_property
    def _native(self) -> _native.GridScores:
        def array(given: npt.ArrayLike) -> Scores:
            return np.ascontiguousarray(given, dtype=np.float64)

        states = int(np.prod([np.shape(node)[-1] for node in self.nodes], dtype=np.int64))
        if states > LARGEST:
            sizes = " x ".join(str(np.shape(node)[-1]) for node in self.nodes)
            raise DataError(
                f"the layers have {sizes} = {states:,} joint states, too many for exact inference "
                f"(at most {LARGEST:,})"
            )
        pairs = [(a, b, array(score)) for (a, b), score in self.couplings.items()]
        try:
            return _native.GridScores(
                [array(node) for node in self.nodes], [array(move) for move in self.moves], pairs
            )
        except (ValueError, TypeError) as error:
            raise DataError(f"the grid does not fit together: {error}") from None

    @property
    def n_states(self) -> int:
        """How many combinations of labels a token can have."""
        return self._native.n_states

    def best(self) -> tuple[list[npt.NDArray[np.int32]], float]:
        """The best labels of each layer, decoded jointly, and their score."""
        labels, score = self._native.viterbi()
        if not np.isfinite(score):
            raise DataError("no combination of labels is allowed")
        return list(labels), score

    def marginals(self) -> GridMarginals:
        """log Z, probabilities of labels and pairs of labels, expected moves."""
        log_z, labels, moves, pairs, _ = self._posterior(joint=False)
        return GridMarginals(log_z, labels, moves, pairs)

    def joint(self) -> Scores:
        """The probability of each combination of labels, [tokens x labels x labels x ...]."""
        sizes = [np.shape(node)[-1] for node in self.nodes]
        found: Scores = self._posterior(joint=True)[4]
        return found.reshape(len(found), *sizes)

    def _posterior(self, *, joint: bool) -> Any:
        found = self._native.posterior(joint)
        if not np.isfinite(found[0]):
            raise DataError("no combination of labels is allowed")
        return found
