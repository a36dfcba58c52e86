from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import UNITS, Corpus, guess_unit, read_text, stream_text
from dovetail.errors import DataError


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


TEXT = "Who: Ada\nWhen: now\n\n \n  All are\n\twelcome.\n\n"


def test_paragraphs_keep_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    corpus = read_text(path, unit="paragraph")
    assert corpus.texts == ("Who: Ada\nWhen: now", "  All are\n\twelcome.")
    assert corpus.lists("word")[1] == ["All", "are", "welcome", "."]
    assert corpus[1].offsets.tolist() == [[2, 5], [6, 9], [11, 18], [18, 19]]
    assert corpus.document_bounds.tolist() == [0, 1, 2]
    assert [len(chunk) for chunk in stream_text(path, unit="paragraph", chunk_size=1)] == [1, 1]


def test_a_document_is_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    corpus = read_text(path, unit="document")
    assert corpus.texts == (TEXT.rstrip("\n"),)
    assert corpus.n_tokens == 10
    assert corpus.document_bounds is None
    assert Corpus.concatenate(stream_text(path, unit="document")) == corpus
    path.write_text(" \n\n")
    assert len(read_text(path, unit="document")) == 0


def test_texts_in_memory() -> None:
    texts = [TEXT, "", "One\r\ntwo"]
    whole = Corpus.from_texts(texts)
    assert whole.texts == tuple(texts)
    assert [len(sequence) for sequence in whole] == [10, 0, 2]
    lines = Corpus.from_texts(texts, unit="line")
    assert lines.texts == ("Who: Ada", "When: now", "  All are", "\twelcome.", "One", "two")
    assert lines.document_bounds.tolist() == [0, 4, 6]
    assert Corpus.from_texts(iter(texts), unit="paragraph").document_bounds.tolist() == [0, 2, 3]
    assert Corpus.from_texts([]).names == ("word",)


def test_places_of_tokens_hold_their_words() -> None:
    corpus = Corpus.from_texts([TEXT, "Rock 'n' roll, 3:30pm"])
    for sequence in corpus:
        words = [sequence.text[a:b] for a, b in sequence.offsets.tolist()]
        assert words == sequence["word"]


def test_unknown_units_and_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no unit 'page'; choose one of: line, paragraph, document"):
        Corpus.from_texts(["a"], unit="page")
    with pytest.raises(DataError, match="no unit 'page'"):
        read_text(tmp_path / "missing.txt", unit="page")
    with pytest.raises(DataError, match="a text is a string, not bytes"):
        Corpus.from_texts([b"a"])


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(max_size=30).map(lambda t: t.encode(errors="replace")))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.txt"
    path.write_bytes(content)
    try:
        corpora = [read_text(path, unit=unit) for unit in UNITS]
    except DataError:
        return
    assert len({corpus.n_tokens for corpus in corpora}) == 1
    assert all(len(sequence) for corpus in corpora for sequence in corpus)


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        ([], "line"),
        (["a", "b"], "line"),
        (["a", "b\nc"], "paragraph"),
        (["b\nc", "a"], "paragraph"),
        (["a\nb", "b\n\nc", "a"], "document"),
    ],
)
def test_what_texts_look_like(texts: list[str], unit: str) -> None:
    assert guess_unit(texts) == unit
