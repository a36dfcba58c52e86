"""Word vectors: columns, text files, files of our own, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.representation import WordVectors, word_vectors

WORDS = ["cat", "dog", "the", "a"]
VECTORS = np.array([[1.0, 0.1], [0.9, 0.2], [-1.0, -2.0], [-1.1, -2.1]])
TEXT = Corpus.from_lists({"word": [["The", "cat", "flew"]]})


def test_a_column_has_the_scaled_vectors() -> None:
    column = WordVectors(WORDS, VECTORS, value=0.1).columns(TEXT)["vector"]
    assert isinstance(column, SoftColumn)
    expected = 0.1 * VECTORS / VECTORS.std()
    np.testing.assert_allclose(column.weights, [expected[2], expected[0], [0, 0]], rtol=1e-5)


def test_clusters_make_an_ordinary_column() -> None:
    vectors = WordVectors(WORDS, VECTORS, clusters=2, value=1.0)
    the, cat, flew = vectors.columns(TEXT)["vector"].values()
    dog = vectors.columns(Corpus.from_lists({"word": [["dog"]]}))["vector"].values()[0]
    assert the != cat == dog
    assert flew is None


@pytest.mark.parametrize("header", ["", "3 2\n"])
def test_text_files_are_read(tmp_path: Path, header: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(header + "cat 1 0.5\ndog 0 1\ncat 9 9\nthe -1 2e-1\n", encoding="utf-8")
    vectors = WordVectors.read(path, only=["Cat", "the"])
    assert vectors.vocabulary_.names[1:] == ("cat", "the")
    np.testing.assert_allclose(vectors.vectors_[1:], [[1, 0.5], [-1, 0.2]])


def test_a_file_holds_the_vectors(tmp_path: Path) -> None:
    for clusters in (None, 2):
        vectors = WordVectors(WORDS, VECTORS, clusters=clusters)
        vectors.save(tmp_path / "vectors.dovetail")
        assert WordVectors.load(tmp_path / "vectors.dovetail").annotate(TEXT) == vectors.annotate(
            TEXT
        )


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    spoiled = VECTORS.copy()
    spoiled[1, 1] = np.nan
    with pytest.raises(DataError, match="the vector of 'dog' has a number that is not finite"):
        WordVectors(WORDS, spoiled)
    with pytest.raises(DataError, match="4 words need vectors"):
        WordVectors(WORDS, VECTORS[:2])
    with pytest.raises(DataError, match="must differ"):
        WordVectors(["a", "a"], VECTORS[:2])
    with pytest.raises(DataError, match="'⟨rare⟩' stands for words without a vector"):
        WordVectors(["a", "⟨rare⟩"], VECTORS[:2])
    with pytest.raises(DataError, match="5 clusters are more than the 4 words"):
        WordVectors(WORDS, VECTORS, clusters=5)
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 0.5\ndog 0\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"vectors.txt:2 has 1 numbers where 2 were expected"):
        WordVectors.read(path)
    path.write_text("cat 1 x\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"vectors.txt:1 has a word's vector with something"):
        WordVectors.read(path)
    with pytest.raises(DataError, match="no vectors"):
        WordVectors.read(path, only=["unicorn"])


def test_clusters_are_loaded_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = WordVectors(WORDS, VECTORS, clusters=2)
    content = vectors.to_bytes()
    monkeypatch.setattr(word_vectors, "cluster_vectors", None)
    again = WordVectors.load(content)
    assert np.array_equal(again.clusters_, vectors.clusters_)
    assert repr(again) == repr(vectors)


def test_clusters_of_like_vectors_make_no_noise(recwarn: pytest.WarningsRecorder) -> None:
    same = np.repeat(VECTORS[:2], 2, axis=0)
    assert WordVectors(WORDS, same, clusters=4).clusters_.shape == (4,)
    assert not recwarn.list


def test_words_of_a_text_file_may_have_blanks(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 0.5\nNew York 0 1\n. . . 2 2\n", encoding="utf-8")
    assert WordVectors.read(path).vocabulary_.names[1:] == ("cat", "New York", ". . .")
    path.write_text("2 2\nNew York 0 1\ncat 1 0.5\n", encoding="utf-8")
    assert WordVectors.read(path).vocabulary_.names[1:] == ("New York", "cat")
