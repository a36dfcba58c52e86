"""Tables of words: columns and prefixes, files, what taggers read of them, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dovetail import load
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError, ModelFileError
from dovetail.pipeline import Pipeline
from dovetail.representation import WordTable

VALUES = {"London": "0110", "Paris": "0111", "he": "10", "said": "11"}
TEXT = Corpus.from_lists({"word": [["He", "said", "Paris", "fell"], []]})


def table(**settings: Any) -> WordTable:
    return WordTable(VALUES, name="brown", prefixes=(1, 3), **settings)


def test_columns_have_values_and_their_prefixes() -> None:
    corpus = table().annotate(TEXT)
    assert corpus.lists("brown") == [["10", "11", "0111", None], []]
    assert corpus.lists("brown3") == [["10", "11", "011", None], []]
    assert corpus.lists("brown1") == [["1", "1", "0", None], []]


@pytest.mark.parametrize("unknown", ["10", "none"])
def test_words_that_are_not_listed_may_have_a_value(unknown: str) -> None:
    made = table(unknown=unknown)
    corpus = made.annotate(TEXT)
    assert corpus.lists("brown")[0][-1] == unknown
    assert corpus.lists("brown1")[0][-1] == unknown[:1]
    assert unknown in made.labels_


def test_files_keep_everything(tmp_path: Path) -> None:
    made = table(unknown="?", window=2, value=0.5)
    made.origin_ = {"package": "own", "version": "1"}
    made.save(tmp_path / "table.dovetail")
    again = load(tmp_path / "table.dovetail")
    assert isinstance(again, WordTable)
    assert again.get_params() == made.get_params()
    assert again.origin_ == made.origin_
    assert again.annotate(TEXT) == made.annotate(TEXT)
    assert [word for word, _ in again.typical_words(0)] == ["London"]


def test_a_damaged_file_is_refused() -> None:
    content = bytearray(table().to_bytes())
    content[-3] ^= 1
    with pytest.raises(ModelFileError, match="damaged"):
        load(bytes(content))


def test_files_of_brown_clusters_are_read(tmp_path: Path) -> None:
    path = tmp_path / "paths"
    path.write_text("0110\tLondon\t3\n0111\tParis\t5\n", encoding="utf-8")
    made = WordTable.read(path, prefixes=(3,))
    assert made.names_ == ("brown3", "brown")
    assert made.vocabulary_.names[1:] == ("Paris", "London")  # the most frequent first
    path.write_text("0110\tLondon\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"paths:1 is .* a path, a word and its count"):
        WordTable.read(path)


def test_a_tagger_learns_from_the_values_of_words_it_has_never_seen() -> None:
    train = Corpus.from_lists(
        {"word": [["he", "left", "London"], ["he", "left", "it"]] * 3,
         "ner": [["O", "O", "LOC"], ["O", "O", "O"]] * 3}
    )  # fmt: skip
    made = table(value=2.0)
    pipeline = Pipeline({"brown": made, "ner": Tagger(c2=0.1)}).fit(train)
    assert pipeline.predict([["he", "left", "Paris"]])["ner"] == [["O", "O", "LOC"]]
    read = str(pipeline["ner"].features)
    assert "brown3[-1..1]" in read
    assert "brown & word.short_shape" in read
    again = Pipeline.load(pipeline.to_bytes())
    assert again.predict([["he", "left", "Paris"]])["ner"] == [["O", "O", "LOC"]]


@pytest.mark.parametrize(
    ("values", "settings", "words"),
    [
        ({}, {}, "at least one word"),
        ({"⟨rare⟩": "1"}, {}, "leave it out"),
        (VALUES, {"prefixes": (0,)}, "at least 1"),
        (VALUES, {"window": -1}, "at least 0"),
    ],
)
def test_bad_input(values: dict[str, str], settings: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        WordTable(values, **settings)
