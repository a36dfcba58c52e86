"""Parquet files and folders of them."""

from __future__ import annotations

import logging
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, read, read_parquet, stream, stream_parquet, write_parquet
from dovetail.corpus.parquet import find_unread
from dovetail.errors import DataError

VALUES = st.one_of(st.none(), st.text("aé ", max_size=3))
ROWS = st.lists(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4), max_size=6)


def _write(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@given(rows=ROWS, chunk_size=st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_corpora_come_back(tmp_path_factory, rows, chunk_size: int) -> None:
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    columns = {name: [[pair[k] for pair in row] for row in rows] for k, name in enumerate("ab")}
    corpus = Corpus.from_lists(columns)
    write_parquet(corpus, path)
    if rows:
        assert read_parquet(path) == corpus
        assert Corpus.concatenate(stream_parquet(path, chunk_size=chunk_size)) == corpus
    else:
        assert read_parquet(path).n_tokens == 0


def test_texts_offsets_and_documents_come_back(tmp_path: Path) -> None:
    texts = Corpus.from_texts(["Ja, gut.\nNein.", "Ça va?\nSi."], unit="line")
    write_parquet(texts, tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet") == texts
    assert texts.document_bounds is not None


def test_a_folder_is_a_dataset_and_documents_run_on(tmp_path: Path) -> None:
    words = [[word] for word in "abcdef"]
    _write(tmp_path / "part-2.parquet", word=words[:3], document=["x", "x", "y"])
    _write(tmp_path / "part-10.parquet", word=words[3:], document=["y", "z", None])
    _write(tmp_path / "_other.parquet", word=words)
    corpus = read(tmp_path)
    assert [row[0] for row in corpus.lists("word")] == [*"abcdef"]
    assert corpus.document_bounds.tolist() == [0, 2, 4, 6]
    for size in (1, 2, 4):
        chunks = [*stream(tmp_path, chunk_size=size)]
        starts, n = [], 0
        for chunk in chunks:
            if chunk.document_bounds is not None:
                starts += (n + chunk.document_bounds[:-1]).tolist()
            n += len(chunk)
        assert starts == [0, 2, 4]
        assert max(map(len, chunks)) <= size


def test_names_and_kinds_of_columns_that_others_write(tmp_path: Path, caplog) -> None:
    tags = pa.array(["B-ORG", "O", None]).dictionary_encode()
    table = {
        "id": [1, 2, 3],
        "tokens": pa.array([["EU", "rejects"], [], ["Yes"]], pa.large_list(pa.large_string())),
        "labels": pa.ListArray.from_arrays([0, 2, 2, 3], tags),
        "pos": pa.array([None, None, ["UH"]], pa.list_(pa.string())),
        "ner_tags": [[1, 0], [], [0]],
    }
    path = _write(tmp_path / "x.parquet", **table)
    with caplog.at_level(logging.WARNING):
        corpus = read_parquet(path)
    assert corpus.names == ("word", "label", "pos")
    assert corpus.lists("word") == [["EU", "rejects"], ["Yes"]]
    assert corpus.lists("label") == [["B-ORG", "O"], [None]]
    assert corpus.lists("pos") == [[None, None], ["UH"]]
    assert "x.parquet: 1 rows without tokens were left out" in caplog.text


def test_plain_text_is_tokenized(tmp_path: Path) -> None:
    corpus = read_parquet(_write(tmp_path / "x.parquet", text=["Yes, we can.", "No."]))
    assert corpus.lists("word") == [["Yes", ",", "we", "can", "."], ["No", "."]]
    assert corpus.texts == ("Yes, we can.", "No.")
    assert corpus.offsets is not None


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"id": [1]}, "neither a column of lists of strings, such as tokens, nor one of text"),
        (
            {"word": [["a"], ["a", "b"]], "label": [["O"], ["O"]]},
            "x.parquet, row 2: the column 'label' has 1 values for 2 tokens",
        ),
        (
            {"word": [["a"]], "text": ["a"], "offsets": [[[0, 2]]]},
            r"row 1: token 1 has the offsets \[0, 2\] in a text of 1 characters",
        ),
        (
            {"word": [["a", "b"]], "text": ["abc"], "offsets": [[[0, 2], [1, 3]]]},
            r"row 1: token 2 has the offsets \[1, 3\] in a text of 3 characters",
        ),
        (
            {"word": [["a"], ["b"]], "text": ["a", "b"], "offsets": [[[0, 1]], [[1, 1]]]},
            r"row 2: token 1 has the offsets \[1, 1\] in a text of 1 characters",
        ),
        (
            {"word": [["a", "b"]], "text": ["ab"], "offsets": [[[0, 1]]]},
            "'offsets' must be as many pairs of numbers as there are tokens",
        ),
        (
            {"word": [["a", "b"]], "text": ["ab"], "offsets": [[[0], [1, 1, 2]]]},
            "'offsets' must be as many pairs of numbers as there are tokens",
        ),
        (
            {"word": [["a", "b"]], "text": ["ab"], "offsets": [[[0, None], [1, 2]]]},
            "'offsets' must be as many pairs of numbers as there are tokens",
        ),
    ],
)
def test_bad_columns_are_named(tmp_path: Path, columns, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_parquet(_write(tmp_path / "x.parquet", **columns))


@pytest.mark.parametrize("offsets", [[[{"start": 0}]], [5], ["x"], [["x"]], [[["x", "y"]]]])
def test_offsets_of_other_types_are_left_alone(tmp_path: Path, offsets) -> None:
    path = _write(tmp_path / "x.parquet", word=[["a"]], text=["a"], offsets=offsets)
    assert read_parquet(path).offsets is None


def test_offsets_of_sequences_of_one_token(tmp_path: Path) -> None:
    offsets = [[[2, 3]], [[0, 1]], [], [[1, 2]]]
    texts = ["  a", "b ", " ", " c"]
    words = [["a"], ["b"], [], ["c"]]
    path = _write(tmp_path / "x.parquet", word=words, text=texts, offsets=offsets)
    corpus = read_parquet(path)
    assert corpus.offsets is not None
    assert corpus.offsets.tolist() == [[2, 3], [0, 1], [1, 2]]


def test_columns_that_are_left_out_are_told(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.parquet", word=[["a"]], id=[7], price=[1.5])
    assert find_unread(path) == ["of no use here and left out: the columns id, price"]
    assert find_unread(_write(tmp_path / "y.parquet", word=[["a"]])) == []


def test_bad_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with pytest.raises(DataError, match=r"cannot read .*x\.parquet: there is no such file"):
        read_parquet(path)
    path.write_bytes(b"PAR1 nothing of the kind PAR1")
    with pytest.raises(DataError, match=r"x\.parquet cannot be read as Parquet"):
        read_parquet(path)
    write_parquet(Corpus.from_lists({"word": [["a"] * 1000] * 100}), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"x\.parquet cannot be read as Parquet"):
        read_parquet(path)
    with pytest.raises(DataError, match="standard input: name a file"):
        read_parquet("-")
    with pytest.raises(DataError, match="cannot be called 'text' in Parquet"):
        write_parquet(Corpus.from_lists({"text": [["a"]]}), path)


def test_files_of_a_folder_must_agree(tmp_path: Path) -> None:
    _write(tmp_path / "a.parquet", word=[["a"]])
    _write(tmp_path / "b.parquet", word=[["a"]], pos=[["X"]])
    with pytest.raises(DataError, match=r"b\.parquet has the columns word, pos where .* have word"):
        read_parquet(tmp_path)
