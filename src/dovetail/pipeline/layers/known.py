"""Labels of a layer that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.errors import DataError

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Known:
    """Of each token the number of its label, or -1."""

    codes: Codes

    @property
    def is_complete(self) -> bool:
        """Whether the labels of all tokens are known."""
        return bool((self.codes >= 0).all())


def known_labels(name: str, labels: Sequence[str], corpus: Corpus) -> Known:
    """A column of the corpus as known labels of the layer of that name; missing values are
    unknown."""
    column = corpus.column(name)
    numbers = {label: k for k, label in enumerate(labels)}
    for code, level in enumerate(column.levels):
        if level not in numbers and (column.codes == code).any():
            raise DataError(
                f"the column '{name}' has the label '{level}', which its tagger does not "
                f"know (it knows {', '.join(labels)})"
            )
    table = np.array([numbers.get(level, -1) for level in column.levels] + [-1], np.int32)
    return Known(table[column.codes])


def are_different(one: Codes, other: Codes) -> npt.NDArray[np.bool_]:
    """Where two labellings differ, at a token or at the one before."""
    out: npt.NDArray[np.bool_] = one != other
    out[1:] |= out[:-1].copy()
    return out
