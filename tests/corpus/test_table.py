from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError

values = st.lists(st.none() | st.text(max_size=3), max_size=12)
lists = st.lists(values, max_size=8)


@given(values)
def test_column_keeps_values(given_values: list[str | None]) -> None:
    column = Column.from_values(given_values)
    assert column.values() == given_values
    assert column.codes.dtype == np.int32
    assert len(column) == len(given_values)
    assert len(set(column.levels)) == len(column.levels)


@given(values, values)
def test_columns_are_equal_if_their_values_are(a: list[str | None], b: list[str | None]) -> None:
    assert (Column.from_values(a) == Column.from_values(b)) == (a == b)
    joined = Column.concatenate([Column.from_values(a), Column.from_values(b)])
    assert joined.values() == a + b


def test_column_equality_ignores_encoding() -> None:
    assert Column(np.array([0, 1, -1]), ("a", "b")) == Column(np.array([2, 0, -1]), ("b", "x", "a"))
    assert Column(np.array([0]), ("a",)) != "a"


@pytest.mark.parametrize(
    ("codes", "levels", "message"),
    [
        ([0, 2], ("a", "b"), "between -1 and 1"),
        ([-2], ("a",), "between -1 and 0"),
        ([[0]], ("a",), "one dimension"),
        ([0], ("a", "a"), "differ"),
    ],
)
def test_bad_columns_are_refused(codes, levels, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Column(np.array(codes), levels)


@pytest.mark.parametrize("wrong", [1, True, ["a"], b"a"])
def test_columns_hold_strings_only(wrong: object) -> None:
    with pytest.raises(DataError, match=f"strings or None, not {re.escape(repr(wrong))}"):
        Column.from_values(["a", None, wrong])  # type: ignore[list-item]


@given(lists)
def test_lists_round_trip(words: list[list[str | None]]) -> None:
    corpus = Corpus.from_lists({"word": words})
    assert corpus.lists("word") == words
    assert [sequence["word"] for sequence in corpus] == words
    assert [len(sequence) for sequence in corpus] == [len(w) for w in words]
    assert len(corpus) == len(words)
    assert corpus.n_tokens == sum(map(len, words))
    assert pickle.loads(pickle.dumps(corpus)) == corpus


@given(lists, st.data())
def test_selection_is_that_of_lists(words: list[list[str | None]], data: st.DataObject) -> None:
    corpus = Corpus.from_lists({"word": words})
    index = st.integers(0, max(len(words) - 1, 0))
    chosen = data.draw(st.lists(index, max_size=6)) if words else []
    assert corpus.select(chosen).lists("word") == [words[i] for i in chosen]
    part = data.draw(st.slices(len(words)))
    assert corpus[part].lists("word") == words[part]


@given(lists, lists)
def test_concatenation_is_that_of_lists(
    a: list[list[str | None]], b: list[list[str | None]]
) -> None:
    both = Corpus.concatenate([Corpus.from_lists({"w": a}), Corpus.from_lists({"w": b})])
    assert both == Corpus.from_lists({"w": a + b})


def test_sequences_know_their_place() -> None:
    corpus = Corpus(
        {"word": Column.from_values(["a", "b", "c"])},
        [0, 2, 3],
        offsets=[[0, 1], [2, 3], [0, 1]],
        texts=["a b", "c"],
    )
    last = corpus[-1]
    assert (last.index, last.names, last.text) == (1, ("word",), "c")
    assert last.offsets is not None
    assert last.offsets.tolist() == [[0, 1]]
    assert repr(last) == "Sequence(1 tokens: word)"
    swapped = corpus.select([1, 0])
    assert swapped.texts == ("c", "a b")
    assert swapped.offsets is not None
    assert swapped.offsets.tolist() == [[0, 1], [0, 1], [2, 3]]
    with pytest.raises(IndexError):
        corpus[2]
    with pytest.raises(IndexError):
        corpus.select([-1])


def test_columns_are_added_replaced_and_dropped() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"], []]})
    more = corpus.with_column("pos", [["X", None], []]).with_column("ner", corpus.column("word"))
    assert more.names == ("word", "pos", "ner")
    assert more[0]["pos"] == ["X", None]
    assert more.with_column("pos", [["Y", "Z"], []]).names == ("word", "pos", "ner")
    assert more.without_column("pos").names == ("word", "ner")
    assert corpus.names == ("word",)
    with pytest.raises(DataError, match="'pos'"):
        corpus.without_column("pos")


def test_ragged_columns_name_sequence_and_lengths() -> None:
    with pytest.raises(DataError, match=r"sequence 2: column 'ner' has 1 values where .* has 2"):
        Corpus.from_lists({"word": [["a"], ["b", "c"]], "ner": [["O"], ["O"]]})
    with pytest.raises(DataError, match="column 'ner' has 1 sequences where the corpus has 2"):
        Corpus.from_lists({"word": [["a"], ["b"]]}).with_column("ner", [["O"]])
    with pytest.raises(DataError, match="column 'ner' has 1 values for 2 tokens"):
        Corpus.from_lists({"word": [["a"], ["b"]]}).with_column("ner", Column.from_values(["O"]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"bounds": [1, 2]},
        {"bounds": [0, 3, 2]},
        {"bounds": []},
        {"bounds": [0, 1]},
        {"document_bounds": [0, 2]},
        {"texts": ["a", "b"]},
        {"offsets": [[0, 1]]},
    ],
)
def test_parts_that_do_not_fit_are_refused(wrong: dict) -> None:
    arguments = {"columns": {"word": Column.from_values(["a", "b"])}, "bounds": [0, 2], **wrong}
    with pytest.raises(DataError):
        Corpus(**arguments)


def test_unknown_column_lists_the_known() -> None:
    with pytest.raises(DataError, match="no column 'pos'; the columns are: word"):
        Corpus.from_lists({"word": [["a"]]})[0]["pos"]


def test_nothing_can_be_changed_in_place() -> None:
    corpus = Corpus.from_lists({"word": [["a"]]})
    for array in (corpus.bounds, corpus.column("word").codes, corpus[:1].column("word").codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        corpus.columns["x"] = corpus.column("word")  # type: ignore[index]


def test_different_columns_do_not_concatenate() -> None:
    with pytest.raises(DataError, match="corpus 2 has the columns b where the first has a"):
        Corpus.concatenate([Corpus.from_lists({"a": [["x"]]}), Corpus.from_lists({"b": [["x"]]})])
    assert len(Corpus.concatenate([])) == 0


def _with_documents() -> Corpus:
    words = Column.from_values([str(i) for i in range(10)])
    return Corpus({"word": words}, range(11), document_bounds=[0, 3, 4, 10])


def test_documents_follow_a_selection() -> None:
    corpus = _with_documents()
    assert corpus[2:6].document_bounds.tolist() == [0, 1, 2, 4]
    assert corpus.select([9, 0, 1]).document_bounds.tolist() == [0, 1, 3]
    assert corpus.select([]).document_bounds.tolist() == [0]
    joined = Corpus.concatenate([corpus, Corpus.from_lists({"word": [["a"], ["b"]]})])
    assert joined.document_bounds.tolist() == [0, 3, 4, 10, 12]


@pytest.mark.parametrize("seed", range(5))
def test_split_keeps_everything_once_and_documents_whole(seed: int) -> None:
    corpus = _with_documents()
    first, second = corpus.split(0.5, seed)
    together = [*first.column("word").values(), *second.column("word").values()]
    assert sorted(together) == [str(i) for i in range(10)]
    for part in (first, second):
        sizes = np.diff(part.document_bounds).tolist()
        assert sizes
        assert set(sizes) <= {3, 1, 6}


def test_split_is_repeatable_and_never_empty() -> None:
    corpus = Corpus.from_lists({"word": [[str(i)] for i in range(5)]})
    assert corpus.split(0.4, 3)[0] == corpus.split(0.4, 3)[0]
    assert len(corpus.split(0.001, 0)[0]) == 1
    assert len(corpus.split(0.999, 0)[1]) == 1
    with pytest.raises(DataError, match="split at 1"):
        corpus.split(1, 0)
