"""What a pipeline refuses, and in which words."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from dovetail import (
    Corpus,
    DataError,
    DovetailError,
    Pipeline,
    Pool,
    Scores,
    Tagger,
    Template,
    column,
)
from pipeline.conftest import only, random_corpus

WORD, LOW, MID = column("word"), column("low"), column("mid")


def unfitted(**features: Any) -> dict[str, Tagger]:
    return {name: Tagger(features=Template(*of)) for name, of in features.items()}


def test_circles_are_refused() -> None:
    with pytest.raises(DataError, match="in a circle: low -> mid -> low"):
        Pipeline(unfitted(low=[WORD, MID], mid=[WORD, LOW]))
    with pytest.raises(DataError, match="reads the column that it writes"):
        Pipeline(unfitted(low=[WORD, LOW]))


def test_two_tasks_of_one_name(layers: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="two tasks are called 'low'"):
        Pipeline([layers["low"], layers["low"]])


def test_a_missing_column_is_named(corpus: Corpus) -> None:
    pipeline = Pipeline(unfitted(low=[WORD], up=[WORD, column("pos")]))
    with pytest.raises(DataError, match="'low' is not trained, and there is no data for it"):
        pipeline.fit({"up": corpus})
    with pytest.raises(DovetailError, match="'low' has not been trained"):
        pipeline.predict(corpus)
    lower = only(corpus, "word", "low").with_column("pos", corpus.column("mid"))
    with pytest.raises(
        DataError, match=r"'up' reads the column 'pos', which the data of 'up' does not"
    ):
        pipeline.fit({"low": lower, "up": only(corpus, "word", "up")})


def test_labels_that_the_upper_model_has_not_seen(
    corpus: Corpus, layers: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    renamed = [[f"{y}2" for y in row] for row in corpus.lists("low")]
    other = Tagger(features=Template(WORD)).fit(corpus.with_column("low", renamed), label="low")
    with pytest.raises(DataError, match="knows none of the labels of the tagger that writes it"):
        Pipeline({**layers, "low": other}).predict(corpus)
    partly = [["Q" if y == "L" else y for y in row] for row in corpus.lists("low")]
    other = Tagger(features=Template(WORD)).fit(corpus.with_column("low", partly), label="low")
    with caplog.at_level(logging.INFO):
        Pipeline({**layers, "low": other}).predict(corpus)
    assert "'up' has no weights for these labels of 'low': Q" in caplog.text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"decode": "jointly"},
            "no decoding 'jointly'; choose from none, cascade, soft, lattice, joint, auto",
        ),
        ({"weights": {"x": 1.0}}, "no task 'x' to weigh"),
        ({"weights": {"low": -1.0}}, "weight of 'low' is -1.0"),
        ({"lattice": 0}, "lattice is 0"),
    ],
)
def test_bad_settings(layers: dict[str, Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Pipeline(layers, **settings)


def test_other_nonsense(pipeline: Pipeline, corpus: Corpus, layers: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="a pipeline needs at least one"):
        Pipeline([])
    with pytest.raises(DataError, match="give names"):
        Pipeline([Tagger()])
    with pytest.raises(DataError, match="give a Tagger, a Pool"):
        Pipeline({"low": 3})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="there is no task 'x'"):
        pipeline.predict(corpus, known=["x"])
    odd = corpus.with_column("low", [["odd"] * len(s) for s in corpus])
    with pytest.raises(DataError, match="has the label 'odd', which its tagger does not know"):
        pipeline.predict(odd, known=["low"])
    with pytest.raises(DataError, match=r"sequence 1 token 2 is 3 where a string was expected"):
        pipeline.predict([["a", 3]])
    with pytest.raises(DataError, match="different labels"):
        Pool([layers["low"], layers["up"]])
    with pytest.raises(DataError, match="joint training needs one corpus"):
        Pipeline(unfitted(low=[WORD], up=[WORD])).fit(
            {"low": corpus, "up": random_corpus(3)}, training="joint"
        )
    with pytest.raises(DataError, match="no training 'magic'"):
        pipeline.fit(corpus, training="magic")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([np.zeros((1, 2))], "scores for 1 sequences where the data has 2"),
        ([np.zeros((1, 2)), np.zeros((1, 3))], r"sequence 2 have the shape \(1, 3\)"),
        ([np.zeros((1, 2)), [[np.nan, 0]]], "sequence 2 token 1 has a score that is no number"),
    ],
)
def test_scores_that_do_not_fit(source: Any, message: str) -> None:
    layer = Scores(["A", "B"], source)
    corpus = Corpus.from_lists({"word": [["a"], ["b"]]})
    with pytest.raises(DataError, match=message):
        Pipeline({"x": layer}).predict(corpus)


def test_a_state_space_too_large_for_exact_decoding_says_so() -> None:
    many = [str(k) for k in range(700)]
    corpus = Corpus.from_lists({"word": [["a"]]})
    layers = {
        name: Scores(many, lambda c: [np.zeros((len(s), 700)) for s in c]) for name in ("a", "b")
    }
    pipeline = Pipeline(layers, inference="exact")
    assert pipeline.predict(corpus)["a"] == [["0"]]  # not tied to one another: each is alone
    with pytest.raises(DataError, match=r"700 x 700 = 490,000 joint states"):
        pipeline.predict_nbest(corpus, 2)


def test_slips_in_fit_and_tune(corpus: Corpus, pipeline: Pipeline) -> None:
    fresh = Pipeline(unfitted(low=[WORD], up=[WORD, LOW]))
    with pytest.raises(DataError, match="folds is 1"):
        fresh.fit(corpus, folds=1)
    with pytest.raises(DataError, match="labels names 'x', which is no task"):
        fresh.fit(corpus, labels={"x": "up"})
    with pytest.raises(DataError, match="would both learn the column 'tag'"):
        fresh.fit(Corpus.from_lists({"word": [["a"]], "tag": [["X"]]}))
    with pytest.raises(DataError, match="give a corpus, or a corpus for each task"):
        fresh.fit([["a"]])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="tune needs a corpus"):
        pipeline.tune([["a"]])
    with pytest.raises(DataError, match="there is no inference 'magic'"):
        Pipeline([pipeline["low"]], inference="magic")


def test_the_data_must_have_what_lower_tasks_read(corpus: Corpus) -> None:
    pipeline = Pipeline(unfitted(low=[WORD, column("pos")], up=[WORD, LOW]))
    lower = only(corpus, "word", "low").with_column("pos", corpus.column("mid"))
    message = "'low' reads the column 'pos', which the data of 'up' does not have"
    with pytest.raises(DataError, match=message):
        pipeline.fit({"low": lower, "up": only(corpus, "word", "up")})
