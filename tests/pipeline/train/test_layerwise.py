"""Training of layers: from different corpora, on shared text, softly, stacked."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from dovetail import (
    Corpus,
    DataError,
    Pipeline,
    Tagger,
    Template,
    TrainingError,
    column,
    stack_taggers,
)
from dovetail.corpus import SoftColumn
from dovetail.corpus.sequences import assign_folds
from dovetail.pipeline.train.layerwise import LayerwiseTraining
from pipeline.conftest import only, random_corpus

WORD, LOW = column("word"), column("low")


def two(**settings: Any) -> Pipeline:
    lower = Tagger(features=Template(WORD.window(1)), c2=0.1)
    upper = Tagger(features=Template(WORD, LOW, WORD & LOW), c2=0.1)
    return Pipeline({"low": lower, "up": upper}, **settings)


def test_tasks_are_trained_from_corpora_of_their_own() -> None:
    lower = only(random_corpus(40, seed=1), "word", "low")
    upper = only(random_corpus(30, seed=2, longest=8), "word", "up")
    pipeline = two().fit({"low": lower, "up": upper})
    first = Tagger(features=Template(WORD.window(1)), c2=0.1).fit(lower, label="low")
    known = upper.with_column("low", first.predict(upper))
    second = Tagger(features=Template(WORD, LOW, WORD & LOW), c2=0.1).fit(known, label="up")
    assert pipeline["up"].top_weights(1000) == second.top_weights(1000)
    test = random_corpus(20, seed=5)
    expected = second.predict(test.with_column("low", first.predict(test)))
    assert pipeline.predict(test, decode="cascade")["up"] == expected
    assert pipeline.notes_ == []


def test_columns_are_cross_fitted_where_text_is_shared(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = random_corpus(40, seed=1)
    extra = random_corpus(7, seed=77, longest=9)
    seen: dict[str, Corpus] = {}
    train = Tagger.fit

    def spy(self: Tagger, data: Any, **settings: Any) -> Tagger:
        if settings["label"] == "up":
            seen["up"] = data
        return train(self, data, **settings)

    monkeypatch.setattr(Tagger, "fit", spy)
    pipeline = two()
    with caplog.at_level(logging.INFO):
        pipeline.fit(
            {"low": only(corpus, "word", "low"), "up": Corpus.concatenate([corpus, extra])}
        )
    assert "cross-fitted" in pipeline.notes_[0]
    assert "cross-fitted" in caplog.text
    parts = assign_folds(only(corpus, "word", "low"), 5, 0)
    lists = seen["up"].lists("low")
    for part in range(5):
        rest = corpus.select(np.flatnonzero(parts != part))
        other = Tagger(features=Template(WORD.window(1)), c2=0.1).fit(rest, label="low")
        for s in np.flatnonzero(parts == part):
            assert lists[s] == other.predict(corpus.select([s]))[0]
    texts = {tuple(words) for words in corpus.lists("word")}
    for s, words in enumerate(extra.lists("word")):
        if tuple(words) not in texts:
            assert lists[40 + s] == pipeline["low"].predict(extra.select([s]))[0]


def test_copies_of_a_text_are_in_one_part() -> None:
    corpus = random_corpus(30, seed=4)
    twice = Corpus.concatenate([corpus, corpus])
    parts = assign_folds(twice, 5, 0)
    assert parts[:30].tolist() == parts[30:].tolist()
    assert set(parts) == set(range(5))


def test_too_few_sequences_for_cross_fitting() -> None:
    with pytest.raises(DataError, match="cross-fitting in 5 parts needs as many"):
        two().fit(random_corpus(2, seed=1))


def test_soft_training_reads_probabilities() -> None:
    lower, upper = random_corpus(40, seed=1), random_corpus(30, seed=2, longest=8)
    data = {"low": only(lower, "word", "low"), "up": only(upper, "word", "up")}
    pipeline = two(decode="soft").fit(data, training="soft")
    marginals = [
        [probability[label] for label in pipeline["low"].labels_]
        for sequence in pipeline["low"].predict_marginals(data["up"])
        for probability in sequence
    ]
    column_ = SoftColumn.of(pipeline["low"].labels_, marginals)
    known = data["up"].with_column("low", column_)
    second = Tagger(features=Template(WORD, LOW, WORD & LOW), c2=0.1).fit(known, label="up")
    ours, theirs = pipeline["up"].top_weights(50), second.top_weights(50)
    assert [w[2] for w in ours] == pytest.approx([w[2] for w in theirs], abs=1e-3)


def test_a_lattice_of_all_labellings_equals_marginals() -> None:
    lower, upper = random_corpus(40, seed=1), random_corpus(12, seed=2, longest=3)
    data = {"low": only(lower, "word", "low"), "up": only(upper, "word", "up")}
    pipeline = two().fit(data)
    layers = pipeline.layers
    soft = LayerwiseTraining(layers, "soft", 5, None, 0, 1).annotate(data["up"], layers[:1])
    lattice = LayerwiseTraining(layers, "soft", 5, 27, 0, 1).annotate(data["up"], layers[:1])
    few = LayerwiseTraining(layers, "soft", 5, 2, 0, 1).annotate(data["up"], layers[:1])
    a, b, c = (one.column("low") for one in (soft, lattice, few))
    assert isinstance(a, SoftColumn)
    assert isinstance(b, SoftColumn)
    assert isinstance(c, SoftColumn)
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-5)
    assert np.abs(a.weights - c.weights).max() > 1e-3
    np.testing.assert_allclose(c.weights.sum(axis=1), 1, atol=1e-6)


def test_gold_columns() -> None:
    corpus = random_corpus(40, seed=1)
    pipeline = two().fit(corpus, training="gold")
    direct = Tagger(features=Template(WORD, LOW, WORD & LOW), c2=0.1).fit(corpus, label="up")
    assert pipeline["up"].top_weights(100) == direct.top_weights(100)


def test_default_features_read_all_layers_below() -> None:
    corpus = random_corpus(20, seed=1)
    pipeline = Pipeline(
        {"low": Tagger(), "mid": Tagger(), "up": Tagger(features="parts_of_speech")}
    )
    pipeline.fit(corpus)
    assert {"low", "mid"} <= set(pipeline["up"].model_.template.columns)
    assert "low" in pipeline["mid"].model_.template.columns


def test_stacked_learning_reads_windows_of_base_predictions() -> None:
    corpus = only(random_corpus(40, seed=1), "word", "up")
    pipeline = Pipeline(stack_taggers("up", Template(WORD), window=2, c2=0.1), decode="cascade")
    pipeline.fit(corpus)
    assert pipeline.names == ["up@base", "up"]
    assert "cross-fitted" in pipeline.notes_[0]
    names = {name for name, _, _ in pipeline["up"].top_weights(1000)}
    assert {'"up@base"[-2]=X', '"up@base"[2]=Y', '"up@base"=X'} <= names
    assert len(pipeline.predict(corpus)["up"]) == 40


def test_errors_of_a_training_name_the_task() -> None:
    corpus = random_corpus(20, seed=1)
    pipeline = two()
    pipeline["up"].min_count = 1000
    with pytest.raises(TrainingError, match=r"^task 'up': no feature occurs 1000 times"):
        pipeline.fit(corpus, training="gold")
    with pytest.raises(DataError, match=r"^task 'up': its data has no column 'x'; it has word"):
        two().fit(corpus, labels={"up": "x"})
