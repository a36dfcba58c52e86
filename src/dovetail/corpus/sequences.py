"""The identity of sequences, and their assignment to folds for cross-fitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.corpus.table import Corpus
from dovetail.errors import DataError

Ints = npt.NDArray[np.int64]


def sequence_keys(corpus: Corpus) -> list[tuple[str | None, ...]]:
    """The values of the first column of each sequence, which holds the words."""
    return [tuple(words) for words in corpus.lists(corpus.names[0])]


def assign_folds(corpus: Corpus, folds: int, seed: int) -> Ints:
    """A fold for each sequence. Copies of a text share a fold, and so do the sequences of a
    document (apart from such copies) where there are more documents than folds."""
    keys = sequence_keys(corpus)
    groups = np.arange(len(corpus))
    if corpus.document_bounds is not None and len(corpus.document_bounds) > folds:
        groups = np.repeat(
            np.arange(len(corpus.document_bounds) - 1), np.diff(corpus.document_bounds)
        )
    first: dict[Any, int] = {}
    roots = [first.setdefault(key, g) for key, g in zip(keys, groups.tolist(), strict=True)]
    units, numbers = np.unique(roots, return_inverse=True)
    if len(units) < folds:
        raise DataError(
            f"cross-fitting in {folds} parts needs as many different sequences; there are "
            f"{len(units)}: give fewer folds, or more text"
        )
    shuffled = np.random.default_rng(seed).permutation(len(units))
    parts: Ints = (shuffled % folds)[numbers]
    return parts
