from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import Corpus, add_offsets
from dovetail.corpus.offsets import find_offsets
from dovetail.errors import DataError

words = st.lists(st.text("ab.é😀", min_size=1, max_size=4), min_size=1, max_size=6)
gaps = st.lists(st.text(" \n\t", max_size=2), min_size=7, max_size=7)


@given(words, gaps)
def test_words_are_found_in_their_text(words: list[str], gaps: list[str]) -> None:
    text = "".join(gap + word for gap, word in zip(gaps, words, strict=False)) + gaps[-1]
    found = find_offsets(words, text)
    assert found is not None
    assert [text[a:b] for a, b in found] == words


@pytest.mark.parametrize("text", ["do not", "dont!", "do n't x", ""])
def test_words_of_another_text_are_not_found(text: str) -> None:
    assert find_offsets(["do", "n't"], text) is None


def test_texts_are_kept_where_words_are_in_them_and_made_up_elsewhere() -> None:
    lists = Corpus.from_lists({"word": [["do", "n't"], ["de", "el"]]})
    corpus = Corpus(lists.columns, lists.bounds, texts=["don't", "del"], document_bounds=[0, 2])
    filled, made_up = add_offsets(corpus)
    assert filled.texts == ("don't", "de el")
    assert filled.offsets.tolist() == [[0, 2], [2, 5], [0, 2], [3, 5]]
    assert made_up == 1
    assert filled.document_bounds.tolist() == [0, 2]
    assert add_offsets(filled) == (filled, 0)


def test_nothing_has_a_place() -> None:
    filled, made_up = add_offsets(Corpus.from_lists({"word": []}))
    assert (filled.texts, filled.offsets.shape, made_up) == ((), (0, 2), 0)


def test_missing_words_are_named() -> None:
    with pytest.raises(DataError, match="sequence 2, token 1 has no word"):
        add_offsets(Corpus.from_lists({"word": [["a"], [None]]}))
