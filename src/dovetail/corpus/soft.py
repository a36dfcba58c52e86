"""Columns of numbers: a weight for each level at each token, or one number a token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.corpus.column import MISSING, Column
from dovetail.errors import DataError


class SoftColumn(Column):
    """A distribution over levels at each token, as a tagger's marginals are, or plain numbers.

    Where a single value is asked for it is the level of the largest weight. In templates every
    level with a weight is a feature, and its value is that weight.

    >>> column = SoftColumn.of(("PER", "O"), [[0.9, 0.1], [0.2, 0.8]])
    >>> column.values()
    ['PER', 'O']
    """

    weights: NDArray[np.float32]

    @classmethod
    def of(cls, levels: Sequence[str], weights: ArrayLike) -> SoftColumn:
        """A column from its levels and a weight for each of them, [tokens x levels]."""
        given = np.array(weights, dtype=np.float32)
        if given.ndim != 2 or given.shape[1] != len(levels):
            raise DataError(
                f"a soft column of {len(levels)} levels needs weights of shape "
                f"(tokens, {len(levels)}), not {given.shape}"
            )
        if not np.isfinite(given).all():
            token = int(np.flatnonzero(~np.isfinite(given).all(axis=1))[0])
            raise DataError(f"token {token + 1} of a soft column has a weight that is not finite")
        best = given.argmax(axis=1) if len(levels) else np.zeros(len(given), int)
        codes = np.where((given != 0).any(axis=1), best, MISSING)
        made = cls(codes.astype(np.int32), tuple(levels))
        given.flags.writeable = False
        object.__setattr__(made, "weights", given)
        return made

    @classmethod
    def numbers(cls, values: ArrayLike) -> SoftColumn:
        """One number a token; 0 makes no feature."""
        return cls.of(("",), np.array(values, dtype=np.float32).reshape(-1, 1))

    @classmethod
    def concatenate(cls, columns: Sequence[Column]) -> Column:
        """Join columns end to end over the union of their levels."""
        if not all(isinstance(column, SoftColumn) for column in columns):
            raise DataError("a soft column can be joined only to soft columns")
        levels = tuple(dict.fromkeys(level for column in columns for level in column.levels))
        places = {level: k for k, level in enumerate(levels)}
        weights = np.zeros((sum(map(len, columns)), len(levels)), np.float32)
        row = 0
        for column in columns:
            assert isinstance(column, SoftColumn)
            here = [places[level] for level in column.levels]
            weights[row : row + len(column), here] = column.weights
            row += len(column)
        return cls.of(levels, weights)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> SoftColumn:
        return SoftColumn.of(self.levels, self.weights[rows])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SoftColumn):
            return NotImplemented
        return self.levels == other.levels and np.array_equal(self.weights, other.weights)

    __hash__ = None
