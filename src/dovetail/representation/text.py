"""Text as representations see it: numbers of words, in sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dovetail import _native

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


@dataclass
class Text:
    """Sequences of word numbers; sequence s is ``words[bounds[s]:bounds[s + 1]]``."""

    words: Ints
    bounds: npt.NDArray[np.uint64]
    n_words: int

    @classmethod
    def of(cls, words: npt.ArrayLike, bounds: npt.ArrayLike, n_words: int) -> Text:
        return cls(
            np.ascontiguousarray(words, dtype=np.int32),
            np.ascontiguousarray(bounds, dtype=np.uint64),
            n_words,
        )

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @cached_property
    def native(self) -> _native.HmmSequences:
        return _native.HmmSequences(self.words, self.bounds, self.n_words)

    def select(self, sequences: npt.NDArray[np.int64]) -> tuple[Text, npt.NDArray[np.int64]]:
        """Some sequences, and the numbers of their tokens."""
        bounds = self.bounds.astype(np.int64)
        lengths = np.diff(bounds)[sequences]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(ends[-1]) + np.repeat(bounds[sequences] - ends[:-1], lengths)
        return Text.of(self.words[rows], ends, self.n_words), rows
