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
from dovetail.representation import Entropy, WordClasses
from dovetail.representation.bias.bias import CodeBias, conditional_entropy
from dovetail.representation.text import Text
from dovetail.representation.word_classes import exchange_words
from representation.texts import news, novel


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
    classes, found = exchange_words(text, n_classes, seed, passes=100)
    assert found == pytest.approx(likelihood(text, classes), abs=1e-8)
    assert set(classes) == set(range(n_classes))
    for word in range(words):
        for other in range(n_classes):
            moved = classes.copy()
            moved[word] = other
            if set(moved) == set(range(n_classes)):
                assert likelihood(text, moved) <= found + 1e-6


def told_likelihood(text: Text, classes: np.ndarray, told: CodeBias) -> float:
    """log P(codes) given the classes of their tokens, times a weight."""
    table = np.zeros((classes.max() + 1, told.n_codes))
    for word, code in zip(text.words, told.codes, strict=True):
        if code >= 0:
            table[classes[word], code] += 1
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(table > 0, np.log(table / table.sum(axis=1, keepdims=True)), 0.0)
    return float(told.weight * (table * logs).sum())


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), words=st.integers(2, 6), data=st.data())
def test_no_single_move_makes_text_and_codes_more_likely(
    seed: int, words: int, data: st.DataObject
) -> None:
    text = random_text(seed, [4, 0, 5], words)
    rng = np.random.default_rng(seed)
    n_classes = data.draw(st.integers(1, words))
    told = [
        CodeBias(rng.integers(-1, n, text.n_tokens).astype(np.int32), n, weight)
        for n, weight in ((3, data.draw(st.floats(0, 20))), (2, -data.draw(st.floats(0, 3))))
    ]
    classes, _ = exchange_words(text, n_classes, seed, passes=100, biases=told)

    def objective(classes: np.ndarray) -> float:
        return likelihood(text, classes) + sum(told_likelihood(text, classes, t) for t in told)

    found = objective(classes)
    for word in range(words):
        for other in range(n_classes):
            moved = classes.copy()
            moved[word] = other
            if set(moved) == set(range(n_classes)):
                assert objective(moved) <= found + 1e-6


def test_codes_that_do_not_fit_are_refused() -> None:
    text = random_text(1, [3], 4)
    with pytest.raises(ValueError, match="a code that there is not"):
        exchange_words(text, 2, 0, 1, [CodeBias(np.full(text.n_tokens, 2, np.int32), 2, 1.0)])
    with pytest.raises(ValueError, match="one code a token"):
        exchange_words(text, 2, 0, 1, [CodeBias(np.zeros(1, np.int32), 2, 1.0)])


def told_by(corpus: Corpus, classes: WordClasses, label: str) -> float:
    found = classes.annotate(corpus).column(classes.name_)
    labels = corpus.column(label)
    table = np.zeros((len(labels.levels), len(found.levels)))
    np.add.at(table, (labels.codes, found.codes), 1)
    return conditional_entropy(table)


def test_properties_bias_classes() -> None:
    source, target = news(), novel()
    plain = WordClasses(4, min_count=1).fit(source, target)
    bent = WordClasses(4, [Entropy("half", 30.0)], min_count=1).fit(source, target)
    assert told_by(source, bent, "half") < 0.7 * told_by(source, plain, "half")
    assert bent.biased_by_ == ("half",)
    assert plain.biased_by_ == ()
    again = WordClasses.load(bent.to_bytes())
    assert again.get_params() == bent.get_params()
    assert again.annotate(target) == bent.annotate(target)


def test_cross_fitted_classes_do_not_know_labels() -> None:
    rng = np.random.default_rng(4)
    words = [[f"w{rng.integers(0, 200)}" for _ in range(4)] for _ in range(100)]
    labels = [[str(rng.choice(["A", "B"])) for _ in range(4)] for _ in range(100)]
    corpus = Corpus.from_lists({"word": words, "pos": labels})
    classes = WordClasses(4, [Entropy("pos", 20.0)], min_count=1).fit(corpus)

    def told(annotated: Corpus) -> float:
        table = np.zeros((2, 4))
        np.add.at(table, (corpus.column("pos").codes, annotated.column("class").codes), 1)
        return conditional_entropy(table)

    assert told(classes.annotate(corpus)) < 0.5  # of log 2 = 0.69
    assert told(classes.annotate_cross_fitted(corpus)) > 0.65


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
    with pytest.raises(DovetailError, match="set of word classes has not been trained"):
        WordClasses(2).class_of("a")
