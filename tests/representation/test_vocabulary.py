"""Vocabularies: which words are told apart, and what becomes of the others."""

from __future__ import annotations

import pytest

from dovetail.corpus import Column
from dovetail.errors import DataError
from dovetail.representation import Vocabulary


def test_frequent_words_have_numbers_of_their_own() -> None:
    vocabulary = Vocabulary.of([["a", "b", "a"], ["c", "b"]], min_count=2, rare="one")
    assert set(vocabulary.names) == {"⟨rare⟩", "a", "b"}
    assert vocabulary.number("c") == vocabulary.number("never seen") == 0


def test_rare_words_are_grouped_by_form_as_exactly_as_there_are_enough() -> None:
    endings = [f"{stem}ing" for stem in "abcdefghijklmn"]
    numbers = [str(number) for number in range(1000, 1015)]
    vocabulary = Vocabulary.of([endings + numbers + ["Zoe", "said", "said"]], min_count=2)
    assert vocabulary.number("running") == vocabulary.number("bing") != 0
    assert vocabulary.number("2026") == vocabulary.number("1000") != vocabulary.number("running")
    assert vocabulary.number("Ada") == vocabulary.number("Zoe") == 0  # too few for a group
    assert vocabulary.names[vocabulary.number("said")] == "said"


def test_missing_values_are_rare_words() -> None:
    vocabulary = Vocabulary.of([["a", "a"]], min_count=1, rare="one")
    assert vocabulary.encode(Column.from_values(["a", None])).tolist() == [1, 0]


def test_bad_settings_are_one_sentence() -> None:
    with pytest.raises(DataError, match="min_count is 0"):
        Vocabulary.of([["a"]], min_count=0)
    with pytest.raises(DataError, match="no treatment 'drop'"):
        Vocabulary.of([["a"]], rare="drop")  # type: ignore[arg-type]
