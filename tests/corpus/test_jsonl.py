from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, read_jsonl, stream_jsonl, write_jsonl
from dovetail.errors import DataError


def _read(tmp_path: Path, *lines: object, **options) -> Corpus:
    path = tmp_path / "file.jsonl"
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines))
    return read_jsonl(path, **options)


def test_tokens_labels_and_further_columns(tmp_path: Path) -> None:
    corpus = _read(
        tmp_path,
        {"id": 7, "tokens": ["EU", "rejects"], "labels": ["B-ORG", "O"], "links": []},
        "",
        {"tokens": ["Yes"], "pos": [None], "meta": {"a": 1}},
    )
    assert corpus.names == ("word", "label", "pos")
    assert corpus.lists("label") == [["B-ORG", "O"], [None]]
    assert corpus.lists("pos") == [[None, None], [None]]
    assert corpus.texts is None


def test_label_key_can_be_named(tmp_path: Path) -> None:
    corpus = _read(tmp_path, {"tokens": ["EU"], "ner": ["B-ORG"]}, labels="ner")
    assert corpus.lists("label") == [["B-ORG"]]


def test_text_and_spans(tmp_path: Path) -> None:
    text = "😀 Karl der Große, Köln"
    corpus = _read(
        tmp_path,
        {"text": text, "spans": [{"start": 18, "end": 22, "label": "LOC"}, [2, 16, "PER"]]},
        {"text": "Ja.", "spans": []},
        {"text": "Nein."},
    )
    assert corpus[0]["word"] == ["😀", "Karl", "der", "Große", ",", "Köln"]
    assert corpus[0]["label"] == ["O", "B-PER", "I-PER", "I-PER", "O", "B-LOC"]
    assert corpus.lists("label")[1:] == [["O", "O"], [None, None]]
    assert corpus.texts == (text, "Ja.", "Nein.")
    words = [text[a:b] for a, b in corpus[0].offsets.tolist()]
    assert words == corpus[0]["word"]


def test_spans_within_tokens_are_widened_and_logged(tmp_path: Path, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        corpus = _read(tmp_path, {"text": "Londoners and Romans", "spans": [[0, 6, "LOC"]]})
    assert corpus.lists("label") == [["B-LOC", "O", "O"]]
    assert "1 spans were widened" in caplog.text


def test_lines_without_tokens_are_left_out_and_logged(tmp_path: Path, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        assert len(_read(tmp_path, {"tokens": []}, {"tokens": ["a"]})) == 1
    assert "1 lines without tokens" in caplog.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", ":2: not JSON"),
        ("[1]", ":2: a JSON object"),
        ("[" * 100_000, ":2: "),
        ('{"tokens": ["\\ud800"]}', ":2: half of a surrogate"),
        ({"words": ["a"]}, 'neither "text" nor "tokens"'),
        ({"tokens": "a"}, 'neither "text" nor "tokens"'),
        ({"tokens": ["a", 1]}, 'neither "text" nor "tokens"'),
        ({"tokens": ["a"], "labels": [1]}, "'labels' must be a list of strings"),
        ({"tokens": ["a"], "labels": ["O", "O"]}, "2 labels for 1 tokens"),
        ({"tokens": ["a"], "labels": []}, "0 labels for 1 tokens"),
        ({"tokens": ["a"], "pos": ["X", "Y"]}, "2 pos for 1 tokens"),
        ({"tokens": ["a"], "word": ["X"]}, "'word' is there twice"),
        ({"text": "a"}, "this line has text where earlier lines have tokens"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path, {"tokens": ["x"]}, line)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ({}, '"spans" must be a list'),
        ([[0, 1]], "span 1 must be"),
        ([[0, 1, "X"], [True, 2, "X"]], "span 2 must be"),
        ([[0, 1.5, "X"]], "span 1 must be"),
        ([{"start": 0, "end": 1}], "span 1 must be"),
        ([[0, 1, ""]], "span 1 must be"),
        ([[0, 99, "X"]], "does not fit a text of 5 characters"),
        ([[1, 1, "X"]], "does not fit"),
        ([[-1, 1, "X"]], "does not fit"),
        ([[2, 3, "X"]], "holds no token"),
        ([[0, 4, "X"], [1, 2, "Y"]], "overlap"),
        ([[0, 1, "X"], [1, 2, "Y"]], "shares a token"),
    ],
)
def test_bad_spans_are_named(tmp_path: Path, spans: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        _read(tmp_path, {"text": "ab cd", "spans": spans})
    with pytest.raises(DataError, match='"text" must be a string'):
        _read(tmp_path, {"text": 1})


word = st.text(st.characters(codec="utf-8"), max_size=4)
label = st.sampled_from(["O", "B-X", "I-X"])
sentence = st.lists(st.tuples(word, st.none() | label), min_size=1, max_size=5)


@settings(max_examples=60)
@given(st.lists(sentence, max_size=4))
def test_tokens_written_are_read(tmp_path_factory, sentences) -> None:
    corpus = Corpus.from_lists(
        {n: [[t[i] for t in s] for s in sentences] for i, n in enumerate(["word", "label"])}
    )
    path = tmp_path_factory.getbasetemp() / "tokens.jsonl"
    write_jsonl(corpus, path)
    assert read_jsonl(path) == corpus or not sentences
    assert len(list(stream_jsonl(path, chunk_size=1))) == len(sentences)


def test_text_written_is_read(tmp_path: Path) -> None:
    lines = [{"text": "Karl, in  Köln", "spans": [[0, 4, "PER"], [10, 14, "LOC"]]}, {"text": "a"}]
    corpus = _read(tmp_path, *lines)
    file = io.StringIO()
    write_jsonl(corpus, file, shape="text")
    assert [json.loads(line) for line in file.getvalue().splitlines()] == lines


def test_texts_offsets_and_documents_are_kept(tmp_path: Path) -> None:
    lists = Corpus.from_lists(
        {"word": [["Tan,", "A"], ["b"], ["c"]], "pos": [["N", None]] + [["X"]] * 2}
    )
    corpus = Corpus(
        lists.columns,
        lists.bounds,
        texts=[" Tan,  A", "b", "c!"],
        offsets=[(1, 5), (7, 8), (0, 1), (0, 1)],
        document_bounds=[0, 1, 3],
    )
    write_jsonl(corpus, tmp_path / "x.jsonl")
    assert read_jsonl(tmp_path / "x.jsonl") == corpus
    assert [len(part) for part in stream_jsonl(tmp_path / "x.jsonl", chunk_size=1)] == [1, 1, 1]
    with pytest.raises(DataError, match="a column cannot be called 'text'"):
        write_jsonl(corpus.with_column("text", lists.lists("word")), io.StringIO())
    with pytest.raises(DataError, match="a column cannot be called 'tokens'"):
        write_jsonl(corpus.with_column("tokens", lists.lists("word")), io.StringIO())


@pytest.mark.parametrize("offsets", [[], [[0]], [[0, 9]], [[2, 1]], [[1, 1]], [[True, 1]], "a"])
def test_bad_offsets_are_named(tmp_path: Path, offsets: object) -> None:
    with pytest.raises(DataError, match=r":1: (token 1 has the )?\"?offsets"):
        _read(tmp_path, {"tokens": ["a"], "text": "a b", "offsets": offsets})


@pytest.mark.parametrize("offsets", [[[0, 2], [1, 3]], [[2, 3], [0, 1]]])
def test_tokens_stand_one_after_another(tmp_path: Path, offsets: object) -> None:
    with pytest.raises(DataError, match=":1: token 2 begins before the end of the one before it"):
        _read(tmp_path, {"tokens": ["a", "b"], "text": "a b", "offsets": offsets})


def test_documents_by_name(tmp_path: Path) -> None:
    documents = [None, "a", "a", 2, "a"]
    lines = [{"text": "x", **({} if d is None else {"document": d})} for d in documents]
    assert _read(tmp_path, *lines).document_bounds.tolist() == [0, 1, 3, 4, 5]


def test_shapes_that_cannot_be_written() -> None:
    corpus = Corpus.from_lists({"word": [["a"]]})
    with pytest.raises(DataError, match="no raw text"):
        write_jsonl(corpus, io.StringIO(), shape="text")
    with pytest.raises(DataError, match="no JSON lines shape"):
        write_jsonl(corpus, io.StringIO(), shape="x")  # type: ignore[arg-type]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["start", "end", "label", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(
    st.sampled_from(["tokens", "labels", "text", "spans", "word", "x", "offsets", "document"]),
    json_values,
    max_size=4,
)


@settings(max_examples=200)
@given(st.binary(max_size=40) | st.lists(objects | json_values, max_size=3))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, content) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.jsonl"
    if not isinstance(content, bytes):
        content = "\n".join(json.dumps(value) for value in content).encode()
    path.write_bytes(content)
    try:
        corpus = read_jsonl(path)
    except DataError:
        return
    assert all(len(sequence) for sequence in corpus)
