from __future__ import annotations

import pytest

from dovetail.compare import given_folds, random_splits
from dovetail.errors import DataError


def test_random_splits_divide_the_data_and_can_be_made_again() -> None:
    splits = random_splits(11, 5, train_share=0.3, seed=7)
    for split in splits:
        assert len(split.train) == 3
        assert sorted(split.train + split.test) == list(range(11))
    assert len({split.test for split in splits}) > 1
    assert splits == random_splits(11, 8, train_share=0.3, seed=7)[:5]
    assert splits != random_splits(11, 5, train_share=0.3, seed=8)


def test_folds_are_tested_one_by_one() -> None:
    splits = given_folds([1, 1, 2, 3, 3, 3])
    assert [split.test for split in splits] == [(0, 1), (2,), (3, 4, 5)]
    assert [sorted(split.train) for split in splits] == [[2, 3, 4, 5], [0, 1, 3, 4, 5], [0, 1, 2]]


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(DataError, match="1 of 5 cannot be divided"):
        random_splits(5, 1, train_share=1)
    with pytest.raises(DataError, match="at least two folds, not 1"):
        given_folds(["a", "a"])
