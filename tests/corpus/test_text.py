from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, read_text, stream_text, tokenize
from dovetail.errors import DataError


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n\u3000", []),
        ("Hello, world!", ["Hello", ",", "world", "!"]),
        ("1,234.5 at 12:30:05, 5pm.", ["1,234.5", "at", "12:30:05", ",", "5pm", "."]),
        ("我爱Beijing。", ["我", "爱", "Beijing", "。"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Cafe\u0301s", ["Cafe\u0301s"]),
        ("a…😀--", ["a", "…", "😀", "-", "-"]),
        ("snake_case", ["snake_case"]),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    assert _words(text) == words


@given(st.text())
def test_tokens_cover_all_but_white_space_in_order(text: str) -> None:
    offsets = tokenize(text)
    assert all(a < b for a, b in offsets)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(offsets))
    assert "".join(_words(text)) == "".join(text.split())


def test_lines_are_sequences_and_blank_lines_divide_documents(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\nOne two.\nThree\n\n \nFour  five\n\n")
    corpus = read_text(path)
    assert corpus.lists("word") == [["One", "two", "."], ["Three"], ["Four", "five"]]
    assert corpus.texts == ("One two.", "Three", "Four  five")
    assert corpus.document_bounds.tolist() == [0, 2, 3]
    assert corpus[2].offsets.tolist() == [[0, 4], [6, 10]]
    assert [len(chunk) for chunk in stream_text(path, chunk_size=2)] == [2, 1]
    path.write_text("One\nTwo\n")
    assert read_text(path).document_bounds is None


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(max_size=30).map(lambda t: t.encode(errors="replace")))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.txt"
    path.write_bytes(content)
    try:
        corpus = read_text(path)
    except DataError:
        return
    assert isinstance(corpus, Corpus)
    assert all(len(sequence) for sequence in corpus)
