"""Groups of near-copies."""

from __future__ import annotations

from dovetail.corpus import find_copies, near_duplicates
from dovetail.corpus.near_duplicates import Copy

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


def test_many_copies_are_one_group() -> None:
    texts = [TALK, "lunch", *[f"{TALK} {k}" for k in range(50)], "lunch"]
    assert near_duplicates(texts) == [0, 1, *[0] * 50, 1]


def test_copies_in_other_text() -> None:
    other = ["lunch is served", TALK, f"{TALK} tomorrow"]
    assert find_copies([TALK.upper() + "!"], other) == [Copy(1, True)]
    assert find_copies([f"Reminder: {TALK} today"], other) == [Copy(1, False)]
    assert find_copies(
        ["lunch is served", "an unheard-of talk about quite other things"], other
    ) == [
        None,
        None,
    ]


def test_a_text_that_quotes_a_little_is_no_copy() -> None:
    short = "results on the complexity of learning"
    assert find_copies([TALK], [short]) == [None]
    assert find_copies([short], [TALK]) == [Copy(0, False)]
