"""Groups of near-copies."""

from __future__ import annotations

from dovetail.corpus import near_duplicates

TALK = "the speaker will present new results on the complexity of learning in large networks"


def test_a_reminder_is_a_copy() -> None:
    texts = [TALK, "Reminder! " + TALK.title(), "lunch is served at noon in the faculty lounge"]
    assert near_duplicates(texts) == [0, 0, 1]


def test_copies_are_linked_by_a_third() -> None:
    words = TALK.split()
    first, last = " ".join(words[:8]), " ".join(words[-8:])
    assert near_duplicates([first, last]) == [0, 1]
    assert near_duplicates([first, last, TALK]) == [0, 0, 0]


def test_texts_without_words_in_common_stay_apart() -> None:
    assert near_duplicates(["one", "two", ""]) == [0, 1, 2]
