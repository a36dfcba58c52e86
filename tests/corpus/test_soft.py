"""Columns of weighted values, and sequences in folds."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError


def test_numbers_are_a_column_without_names() -> None:
    column = SoftColumn.numbers([0.5, 0.0, -1.0])
    assert column.levels == ("",)
    assert column.weights.tolist() == [[0.5], [0.0], [-1.0]]
    assert column.weights.dtype == np.float32


def test_columns_are_equal_if_levels_and_weights_are() -> None:
    one = SoftColumn.of(("a", "b"), [[1.0, 0.5], [0.0, 0.0]])
    assert one == SoftColumn.of(("a", "b"), [[1.0, 0.5], [0.0, 0.0]])
    assert one != SoftColumn.of(("a", "c"), [[1.0, 0.5], [0.0, 0.0]])
    assert one != SoftColumn.of(("a", "b"), [[1.0, 0.5], [0.0, 1.0]])
    assert one[1:] == SoftColumn.of(("a", "b"), [[0.0, 0.0]])


def test_columns_are_joined_over_all_levels() -> None:
    one, other = SoftColumn.of(("a", "b"), [[1.0, 0.5]]), SoftColumn.of(("c", "b"), [[2.0, 3.0]])
    joined = SoftColumn.concatenate([one, other])
    assert joined == SoftColumn.of(("a", "b", "c"), [[1.0, 0.5, 0.0], [0.0, 3.0, 2.0]])
    with pytest.raises(DataError, match="can be joined only to soft columns"):
        SoftColumn.concatenate([one, Column.from_values(["a"])])


def corpus(*documents: int) -> Corpus:
    words = [[f"w{k}"] for k in range(sum(documents))]
    whole = Corpus.from_lists({"word": words})
    bounds = np.cumsum([0, *documents])
    return Corpus(whole.columns, whole.bounds, document_bounds=bounds)


def test_sequences_of_a_document_share_a_fold_where_there_are_enough_documents() -> None:
    folds = assign_folds(corpus(3, 3, 3), 3, seed=0)
    assert sorted(folds.tolist()) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert all(len({*folds[k : k + 3]}) == 1 for k in (0, 3, 6))
    folds = assign_folds(corpus(4, 4), 3, seed=0)
    assert np.bincount(folds).tolist() == [3, 3, 2]
    assert any(len({*folds[k : k + 4]}) > 1 for k in (0, 4))


def test_copies_share_a_fold() -> None:
    copies = Corpus.from_lists({"word": [["a"], ["b"], ["a"], ["c"], ["a"]]})
    folds = assign_folds(copies, 2, seed=3)
    assert folds[0] == folds[2] == folds[4]
    assert {*folds} == {0, 1}
    with pytest.raises(DataError, match="in 4 parts needs as many different sequences; there are"):
        assign_folds(copies, 4, seed=0)
