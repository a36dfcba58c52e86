"""Text that two layers are trained on, and columns over it that have not seen their own labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.corpus.sequences import assign_folds, sequence_keys

Ints = npt.NDArray[np.int64]
SHARED = 0.05  # of a corpus's tokens; below it, common sequences are chance ("Yes .")


def shared_parts(corpus: Corpus, source: Corpus, folds: int, seed: int) -> Ints | None:
    """For each sequence the part of ``source`` that has the same text, or -1; None where hardly any
    text is shared."""
    common = [name for name in corpus.names if name in source.names]
    if not common:
        return None
    places = dict(zip(sequence_keys(source), range(len(source)), strict=True))
    found = np.array([places.get(key, -1) for key in sequence_keys(corpus)], np.int64)
    if np.diff(corpus.bounds)[found >= 0].sum() < max(1, SHARED * corpus.n_tokens):
        return None
    parts = assign_folds(source, folds, seed)
    return np.where(found >= 0, parts[found], -1)


def restore_order(columns: list[Column], order: Ints, corpus: Corpus) -> Column:
    """Columns of selected sequences as one column of the corpus they were selected from."""
    joined = type(columns[0]).concatenate(columns)
    lengths = np.diff(corpus.bounds)[order]
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    rows = np.empty(corpus.n_tokens, np.int64)
    for sequence, start, length in zip(
        order.tolist(), starts.tolist(), lengths.tolist(), strict=True
    ):
        first = int(corpus.bounds[sequence])
        rows[first : first + length] = np.arange(start, start + length)
    taken = joined[rows]
    assert isinstance(taken, SoftColumn) == isinstance(joined, SoftColumn)
    return taken
