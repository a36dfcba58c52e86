"""A grid of parameters by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, Tagger, Template, column
from dovetail.compare import grid_search
from dovetail.errors import DataError
from dovetail.evaluate import evaluate


def text() -> Corpus:
    rng = np.random.default_rng(0)
    words = [[f"w{k}" for k in rng.integers(0, 30, rng.integers(2, 9))] for _ in range(24)]
    labels = [["B-X" if int(word[1:]) % 4 == 0 else "O" for word in own] for own in words]
    return Corpus.from_lists({"word": words, "label": labels})


@pytest.mark.parametrize("threads", [1, 2])
def test_scores_are_those_of_separate_trainings(threads: int) -> None:
    corpus = text()
    folds = np.arange(24) % 3
    tagger = Tagger(features=Template(column("word")), threads=threads)
    found = grid_search(tagger, corpus, {"c2": [0.1, 10.0], "c1": [0.0, 0.5]}, folds=folds)
    assert len(found) == 4
    assert [point.likelihood for point in found] == sorted(
        (point.likelihood for point in found), reverse=True
    )
    for point in found:
        likelihoods: list[float] = []
        for fold, score in enumerate(point.scores):
            rest, held_out = (
                corpus.select(np.flatnonzero(own)) for own in (folds != fold, folds == fold)
            )
            alone = tagger.clone().set_params(**point.parameters).fit(rest)
            gold: list[Any] = held_out.lists("label")
            assert score == evaluate(gold, alone.predict(held_out)).micro.f1
            likelihoods += alone.log_likelihood(held_out, gold)
        assert point.likelihood == pytest.approx(sum(likelihoods) / corpus.n_tokens, rel=1e-12)


def test_feature_lists_and_features_can_be_searched() -> None:
    corpus = text()
    words: list[Any] = [[[f"w={word}"] for word in own] for own in corpus.lists("word")]
    labels: list[Any] = corpus.lists("label")
    found = grid_search(Tagger(), words, {"c2": [0.1, 1.0]}, labels=labels, folds=2, seed=3)
    again = grid_search(Tagger(), iter(words), {"c2": [0.1, 1.0]}, labels=labels, folds=2, seed=3)
    assert found == again
    templates = [Template(column("word")), Template(column("word").window(1))]
    several = grid_search(Tagger(c2=1.0), corpus, {"features": templates}, folds=2)
    assert {id(point.parameters["features"]) for point in several} == {*map(id, templates)}
    assert several[0].likelihood > several[1].likelihood


def test_labels_that_a_fold_has_not_seen_do_not_count() -> None:
    words = [[["a"]], [["b"]], [["c"]], [["a"], ["q"]]]
    labels = [["X"], ["Y"], ["X"], ["X", "Q"]]
    [point] = grid_search(Tagger(), words, {"c2": [1.0]}, labels=labels, folds=[0, 0, 1, 1])
    assert np.isfinite(point.likelihood)


def test_bad_input_is_refused() -> None:
    corpus = text()
    for folds, message in (
        (1, "cannot be divided"),
        (25, "cannot be divided"),
        ([0, 1], "2 numbers"),
    ):
        with pytest.raises(DataError, match=message):
            grid_search(Tagger(), corpus, {"c2": [1.0]}, folds=folds)
    with pytest.raises(DataError, match="two folds"):
        grid_search(Tagger(), corpus, {"c2": [1.0]}, folds=[0] * 24)
    with pytest.raises(DataError, match="no value of c2"):
        grid_search(Tagger(), corpus, {"c2": []})
    with pytest.raises(DataError, match="need labels"):
        grid_search(Tagger(), [[["a"]], [["b"]]], {"c2": [1.0]}, folds=2)
    with pytest.raises(DataError, match="sequence 2 has a token without one known label"):
        grid_search(Tagger(), [[["a"]], [["b"]]], {}, labels=[["X"], [None]], folds=2)
    with pytest.raises(DataError, match="labels that were not trained"):
        grid_search(Tagger(), [[["a"]], [["b"]]], {}, labels=[["X"], ["Y"]], folds=2)
