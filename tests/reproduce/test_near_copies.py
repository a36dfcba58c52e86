"""Groups of near-copies, and splits that respect them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import DataError
from dovetail.reproduce.near_copies import body, near_copies, split_by_groups

TALK = "the speaker will present new results on the complexity of learning in large networks"


def test_a_reminder_is_a_copy():
    texts = [TALK, "Reminder! " + TALK.title(), "lunch is served at noon in the faculty lounge"]
    assert near_copies(texts) == [0, 0, 1]


def test_copies_are_linked_by_a_third():
    words = TALK.split()
    first, last = " ".join(words[:8]), " ".join(words[-8:])
    assert near_copies([first, last]) == [0, 1]
    assert near_copies([first, last, TALK]) == [0, 0, 0]


def test_texts_without_words_in_common_stay_apart():
    assert near_copies(["one", "two", ""]) == [0, 1, 2]


def test_the_header_is_not_looked_at():
    assert body("<id>\nTime: 3 pm\nPlace: hall\n\nAll are welcome.\n\nTea.") == (
        "All are welcome.\n\nTea."
    )


@given(st.lists(st.integers(0, 6), min_size=4, max_size=30), st.integers(0, 5))
def test_no_group_is_divided(groups, seed):
    if len(set(groups)) < 2:
        return
    for split in split_by_groups(groups, 2, seed=seed):
        assert sorted(split.train + split.test) == list(range(len(groups)))
        assert not {groups[k] for k in split.train} & {groups[k] for k in split.test}
        assert len(split.train) <= round(len(groups) / 2)


def test_more_splits_leave_the_first_ones():
    groups = [0, 0, 1, 2, 3, 3, 4]
    assert split_by_groups(groups, 5)[:2] == split_by_groups(groups, 2)


def test_one_group_cannot_be_split():
    with pytest.raises(DataError, match="copies of one another"):
        split_by_groups([0, 0, 0], 1)
