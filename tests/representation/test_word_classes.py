"""Exchange classes: the objective, its optimum, files, bad input."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.representation import WordClasses
from dovetail.representation.text import Text
from dovetail.representation.word_classes import exchanged
from representation.texts import news


def likelihood(text: Text, classes: np.ndarray) -> float:
    """log P(words) under a bigram model of classes, each sequence between two borders."""
    pairs: dict[tuple[int, int], int] = {}
    before: dict[int, int] = {}
    words = np.bincount(text.words)
    of_class: dict[int, int] = {}
    for word in text.words:
        of_class[classes[word]] = of_class.get(classes[word], 0) + 1
    bounds = text.bounds.astype(int)
    for a, b in itertools.pairwise(bounds):
        if a == b:
            continue
        path = [-1, *(int(classes[w]) for w in text.words[a:b]), -1]
        for pair in itertools.pairwise(path):
            pairs[pair] = pairs.get(pair, 0) + 1
            before[pair[0]] = before.get(pair[0], 0) + 1
    total = sum(n * np.log(n / before[c]) for (c, _), n in pairs.items())
    each = [n * np.log(n / of_class[classes[w]]) for w, n in enumerate(words) if n]
    return float(total + sum(each))


def random_text(seed: int, lengths: list[int], words: int) -> Text:
    rng = np.random.default_rng(seed)
    n = sum(lengths)
    numbers = np.concatenate([np.arange(words), rng.integers(0, words, n)])
    return Text.of(numbers, np.cumsum([0, words, *lengths]), words)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1000),
    lengths=st.lists(st.integers(0, 6), max_size=6),
    words=st.integers(2, 7),
    data=st.data(),
)
def test_no_single_move_makes_the_text_more_likely(
    seed: int, lengths: list[int], words: int, data: st.DataObject
) -> None:
    text = random_text(seed, lengths, words)
    n_classes = data.draw(st.integers(1, words))
    classes, found = exchanged(text, n_classes, seed, passes=100)
    assert found == pytest.approx(likelihood(text, classes), abs=1e-8)
    assert set(classes) == set(range(n_classes))
    for word in range(words):
        for other in range(n_classes):
            moved = classes.copy()
            moved[word] = other
            if set(moved) == set(range(n_classes)):
                assert likelihood(text, moved) <= found + 1e-6


def test_each_pass_makes_the_text_more_likely() -> None:
    seen: list[float] = []
    WordClasses(5, min_count=1).fit(news(), callback=lambda _number, _moved, ll: seen.append(ll))
    assert len(seen) > 1
    assert (np.diff(seen) >= -1e-9).all()


def test_classes_are_those_of_tags() -> None:
    corpus = news(200)
    classes = WordClasses(3, min_count=1).fit(corpus)
    found = classes.annotate(corpus).column("class").values()
    tags = corpus.column("pos").values()
    assert len(set(zip(tags, found, strict=True))) == 3


def test_a_value_makes_the_column_soft() -> None:
    column = WordClasses(3, min_count=1, value=0.5).fit(news()).columns(news())["class"]
    assert isinstance(column, SoftColumn)
    assert column.weights.max() == 0.5


def test_a_file_holds_the_classes(tmp_path: Path) -> None:
    classes = WordClasses(4, min_count=1).fit(news())
    classes.save(tmp_path / "classes.dovetail")
    again = WordClasses.load(tmp_path / "classes.dovetail")
    assert again.annotate(news()) == classes.annotate(news())
    with pytest.raises(ModelFileError, match="cut short"):
        WordClasses.load(classes.to_bytes()[:-9])


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(DataError, match="no tokens"):
        WordClasses(2).fit(Corpus.from_lists({"word": []}))
    with pytest.raises(DataError, match="80 classes are more than the 13 words"):
        WordClasses(min_count=1).fit(news())
    with pytest.raises(DovetailError, match="have not been learned"):
        WordClasses(2).class_of("a")
