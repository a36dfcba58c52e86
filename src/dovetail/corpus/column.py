"""One column of a corpus: an int32 code for each token, and the distinct values they stand for."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import DataError

MISSING = -1
MANY_LEVELS = 1000


@dataclass(frozen=True, eq=False)
class Column:
    """A dictionary-encoded column; code -1 is a missing value, ``None`` on the outside.

    Two columns are equal if their values are, however they are encoded.

    >>> column = Column.from_values(["NN", "VB", None, "NN"])
    >>> column.codes.tolist(), column.levels
    ([0, 1, -1, 0], ('NN', 'VB'))
    >>> column.values()
    ['NN', 'VB', None, 'NN']
    """

    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        codes = np.array(self.codes, dtype=np.int32)
        levels = tuple(self.levels)
        if codes.ndim != 1:
            raise DataError(f"codes of a column must have one dimension, not {codes.ndim}")
        if codes.size and not (codes.min() >= MISSING and codes.max() < len(levels)):
            raise DataError(
                f"codes of a column with {len(levels)} levels must lie between -1 and "
                f"{len(levels) - 1}, not {codes.min()} and {codes.max()}"
            )
        if len(set(levels)) != len(levels):
            raise DataError("the levels of a column must differ from one another")
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "levels", levels)

    @classmethod
    def from_values(cls, values: Iterable[str | None]) -> Column:
        """Encode values; levels stand in the order in which they first appear."""
        encoder = ColumnEncoder()
        encoder.extend(list(values))
        return encoder.column()

    @classmethod
    def concatenate(cls, columns: Sequence[Column]) -> Column:
        """Join columns end to end over the union of their levels."""
        index: dict[str, int] = {}
        for column in columns:
            for level in column.levels:
                index.setdefault(level, len(index))
        codes = [column._codes_in(index) for column in columns]
        return cls(np.concatenate(codes) if codes else np.empty(0, np.int32), tuple(index))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Column:
        # Rows of a valid column need no checks, which would cost time in proportion to the levels.
        part = object.__new__(Column)
        codes = self.codes[rows]
        codes.flags.writeable = False
        object.__setattr__(part, "codes", codes)
        object.__setattr__(part, "levels", self.levels)
        return part

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing, one a token."""
        missing: NDArray[np.bool_] = self.codes == MISSING
        return missing

    def values(self) -> list[str | None]:
        """The values, one a token."""
        levels = self.levels
        return [levels[code] if code >= 0 else None for code in self.codes.tolist()]

    def compact(self) -> Column:
        """The same without levels that no token has, where many are so: parts of a large corpus
        share its levels, and whatever is done once a level is then done in vain."""
        if len(self.levels) <= MANY_LEVELS:
            return self
        used, codes = np.unique(self.codes, return_inverse=True)
        if 2 * used.size > len(self.levels):
            return self
        missing = int(used.size > 0 and used[0] == MISSING)
        levels = tuple(self.levels[code] for code in used[missing:].tolist())
        return Column((codes - missing).astype(np.int32), levels)

    def _codes_in(self, index: dict[str, int]) -> NDArray[np.int32]:
        absent = len(index)
        recode = np.array([index.get(level, absent) for level in self.levels] + [MISSING], np.int32)
        return recode[self.codes]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        mine = {level: code for code, level in enumerate(self.levels)}
        return np.array_equal(self.codes, other._codes_in(mine))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Column({len(self)} values, {len(self.levels)} levels)"


class ColumnEncoder:
    """Encodes values as they come, so that a reader never holds a whole column of strings.

    >>> encoder = ColumnEncoder()
    >>> encoder.extend(["a", "b"])
    >>> encoder.extend(["b", None])
    >>> encoder.column().codes.tolist()
    [0, 1, 1, -1]
    """

    def __init__(self) -> None:
        self._index = _Index({None: MISSING})
        self._codes = array("i")

    def extend(self, values: Sequence[str | None]) -> None:
        """Add values at the end."""
        try:
            self._codes.extend(map(self._index.__getitem__, values))
        except TypeError:
            wrong = next(v for v in values if not isinstance(v, str | None))
            raise DataError(
                f"a column holds strings or None, not {wrong!r}: write it as a string"
            ) from None

    def column(self) -> Column:
        """Everything added so far, as a column."""
        codes = np.array(self._codes, dtype=np.int32)
        return Column(codes, tuple(level for level in self._index if level is not None))


class _Index(dict[str | None, int]):
    """Codes of the values seen; a new value gets the next code."""

    def __missing__(self, value: str | None) -> int:
        if not isinstance(value, str):
            raise TypeError
        self[value] = code = len(self) - 1
        return code
