"""Labels that are known at some tokens, as a mask over tokens and labels."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

from dovetail.errors import DataError

Known = int | AbstractSet[int] | None


def mask_known(
    known: Sequence[Known] | npt.NDArray[np.integer], n_labels: int
) -> npt.NDArray[np.bool_]:
    """Which labels each token can have, given a label's number, a set of them, or None (-1).

    >>> mask_known([1, None, {0, 1}], 3).astype(int).tolist()
    [[0, 1, 0], [1, 1, 1], [1, 1, 0]]
    """
    mask = np.zeros((len(known), n_labels), dtype=bool)
    if isinstance(known, np.ndarray):
        tokens, labels = np.arange(len(known)), known
        free = known == -1
    else:
        sets = [_numbers(each) for each in known]
        tokens = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
        labels = np.array([label for each in sets for label in each], dtype=np.int64)
        free = np.array([each == [-1] for each in sets], dtype=bool)
        empty = [t for t, each in enumerate(sets) if not each]
        if empty:
            raise DataError(f"token {empty[0] + 1} is clamped to an empty set of labels")
    wrong = np.flatnonzero((labels >= n_labels) | ((labels < 0) & ~free[tokens]))
    if wrong.size:
        raise DataError(
            f"token {tokens[wrong[0]] + 1} is clamped to label {labels[wrong[0]]}, but the layer "
            f"has labels 0 to {n_labels - 1}"
        )
    mask[tokens, labels] = True
    mask[free] = True
    return mask


def _numbers(known: Known) -> list[int]:
    if known is None:
        return [-1]
    return sorted(known) if isinstance(known, AbstractSet) else [int(known)]
