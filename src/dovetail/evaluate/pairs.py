"""Gold and predicted labels side by side: checked, flat, encoded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus import Column
from dovetail.errors import DataError

Labels = Sequence[Sequence[str | None]]
Ints = NDArray[np.int64]


class Pair(NamedTuple):
    """The labels of all tokens, gold and predicted, and the bounds [sequences + 1] they share."""

    gold: Column
    predicted: Column
    bounds: Ints

    def same(self) -> NDArray[np.bool_]:
        """For each token whether the two labels are the same."""
        number = {label: i for i, label in enumerate(self.gold.levels)}
        recode = np.array([number.get(label, -1) for label in self.predicted.levels], np.int64)
        return np.asarray(recode[self.predicted.codes] == self.gold.codes)

    def per_sequence(self, tokens: Ints) -> Ints:
        """How many of these tokens, given by their numbers, lie in each sequence."""
        numbers = np.searchsorted(self.bounds, tokens, side="right") - 1
        return np.bincount(numbers, minlength=len(self.bounds) - 1)


def pair(gold: Labels, predicted: Labels) -> Pair:
    """Check that two labellings are of the same tokens and hold a label for each, and encode them.

    >>> pair([["A", "B"]], [["B", "B"]]).same().tolist()
    [False, True]
    """
    if len(gold) != len(predicted):
        raise DataError(f"there are {len(gold)} gold sequences but {len(predicted)} predicted ones")
    lengths = [len(labels) for labels in gold]
    for index, (expected, labels) in enumerate(zip(lengths, predicted, strict=True)):
        if expected != len(labels):
            raise DataError(
                f"sequence {index + 1}: {expected} gold labels but {len(labels)} predicted ones"
            )
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    columns = []
    for name, lists in (("gold", gold), ("predicted", predicted)):
        column = Column.from_values(chain.from_iterable(lists))
        missing = np.flatnonzero(column.codes < 0)
        if missing.size:
            index = int(np.searchsorted(bounds, missing[0], side="right")) - 1
            token = int(missing[0] - bounds[index])
            raise DataError(f"sequence {index + 1}, token {token + 1}: the {name} label is missing")
        columns.append(column)
    return Pair(columns[0], columns[1], bounds)
