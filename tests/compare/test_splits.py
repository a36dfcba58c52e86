from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.compare import draw_folds, given_folds, grouped_splits, random_splits
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


@given(st.lists(st.integers(0, 6), min_size=4, max_size=30), st.integers(0, 5))
def test_no_group_is_divided(groups: list[int], seed: int) -> None:
    if len(set(groups)) < 2:
        return
    for split in grouped_splits(groups, 2, seed=seed):
        assert sorted(split.train + split.test) == list(range(len(groups)))
        assert not {groups[k] for k in split.train} & {groups[k] for k in split.test}
        assert len(split.train) <= round(len(groups) / 2)


def test_more_splits_of_groups_leave_the_first_ones() -> None:
    groups = [0, 0, 1, 2, 3, 3, 4]
    assert grouped_splits(groups, 5)[:2] == grouped_splits(groups, 2)


def test_one_group_cannot_be_split() -> None:
    with pytest.raises(DataError, match="all units are of one group"):
        grouped_splits([0, 0, 0], 1)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 4))
def test_no_group_is_divided_by_folds(groups: list[int], n_folds: int) -> None:
    if len(set(groups)) < n_folds:
        with pytest.raises(DataError, match="groups of near copies, too few"):
            draw_folds(len(groups), n_folds, groups=groups)
        return
    folds = draw_folds(len(groups), n_folds, groups=groups)
    assert {*folds} == {*range(n_folds)}
    assert len({*zip(groups, folds, strict=True)}) == len({*groups})
