"""Recalibration, and transfer by ``auto``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, DataError, Pipeline, Pool, Tagger, Template, column
from dovetail.evaluate.judgement import Judgement
from dovetail.pipeline.annotators import TaggerLayer
from dovetail.pipeline.auto import (
    best_weights,
    recalibrated,
    without_transfer,
)
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.judging import judged
from dovetail.pipeline.potentials import Potentials
from dovetail.pipeline.recalibration import Correction, Recalibrated, fit_correction
from pipeline.conftest import only, random_corpus

WORD = column("word")


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(features=Template(WORD.window(1)), c2=3.0).fit(random_corpus(20), label="up")


def test_a_correction_makes_expected_counts_right(tagger: Tagger) -> None:
    """At the optimum of an almost unpenalised fit, labels and moves are expected as often as they
    are seen."""
    corpus = random_corpus(60, seed=5)
    labels = tuple(tagger.labels_)
    layer = TaggerLayer(tagger)
    made = layer.potentials(corpus, {})
    fix = fit_correction([HeldOut(corpus, "up", made)], 1e-4, labels)
    found = Pipeline({"up": Recalibrated(layer, fix)}).tag(corpus)
    assert len(found) == 60
    from dovetail.grid import Grid

    own = fix.applied(made)
    expected = Grid([own.node], [own.move], bounds=corpus.bounds).marginals()
    values = corpus.column("up").values()
    counts = [values.count(label) for label in labels]
    np.testing.assert_allclose(expected.labels[0].sum(axis=0), counts, atol=0.1)


def test_a_strong_penalty_leaves_scores_alone(tagger: Tagger) -> None:
    corpus = random_corpus(30, seed=5)
    labels = tuple(tagger.labels_)
    made = TaggerLayer(tagger).potentials(corpus, {})
    fix = fit_correction([HeldOut(corpus, "up", made)], 1e9, labels)
    assert np.abs(fix.bias).max() < 1e-6
    assert np.abs(fix.moves).max() < 1e-6


def test_labels_that_a_model_never_saw_score_nothing() -> None:
    made = Potentials(("A",), np.ones((3, 1)), np.ones((1, 1)), {("x",): np.ones((3, 2, 1))})
    more = made.extended(["B", "A"])
    assert more.labels == ("B", "A")
    assert more.node.tolist() == [[0, 1]] * 3
    assert more.move.tolist() == [[0, 0], [0, 1]]
    assert more.ties["x",].shape == (3, 2, 2)


def test_recalibration_repairs_a_bias_and_spares_what_is_right(tagger: Tagger) -> None:
    labels = tuple(tagger.labels_)
    right = []
    for seed in range(3):
        corpus = random_corpus(10, seed=seed)
        codes = [labels.index(str(y)) for y in corpus.column("up").values()]
        node = 9.0 * np.eye(len(labels))[codes]
        right.append(HeldOut(corpus, "up", Potentials(labels, node, np.zeros((2, 2)))))
    for texts in (right, biased(right, 12.0)):
        strength, corrected = recalibrated(texts, labels)
        assert strength is not None
        for part in corrected:
            found = Pipeline({"up": part}, decode="cascade").predict(part.corpus)
            assert found["up"] == part.corpus.lists("up")


def test_what_is_usual_is_left_only_for_what_is_clearly_better() -> None:
    """Ten sequences of which one is better tell little; fifty of fifty tell much."""
    labels = ("A", "B")

    def with_right(n_right: int, n: int) -> Judgement:
        corpus = Corpus.from_lists({"word": [["x"]] * n, "up": [["A"]] * n})
        right = [[1.0, 0.0]] * n_right + [[0.0, 1.0]] * (n - n_right)
        return judged(
            [HeldOut(corpus, "up", Potentials(labels, np.array(right), np.zeros((2, 2))))]
        )

    assert with_right(6, 10).score == 0.6
    assert not with_right(6, 10).is_clearly_better(with_right(5, 10))
    assert with_right(40, 50).is_clearly_better(with_right(30, 50))
    assert not with_right(30, 50).is_clearly_better(with_right(40, 50))


def biased(parts: list[HeldOut], amount: float) -> list[HeldOut]:
    """Scores that favour the first label far too much."""
    return [
        replace(p, scores=replace(p.scores, node=p.scores.node + np.array([amount, 0.0])))
        for p in parts
    ]


def test_a_pool_is_equal_unless_one_model_is_clearly_better(tagger: Tagger) -> None:
    labels = tuple(tagger.labels_)
    corpus = random_corpus(30, seed=1)
    codes = [labels.index(str(y)) for y in corpus.column("up").values()]
    node = 9.0 * np.eye(len(labels))[codes]
    right = [HeldOut(corpus, "up", Potentials(labels, node, np.zeros((2, 2))))]
    wrong = [replace(right[0], scores=replace(right[0].scores, node=-node))]
    assert best_weights([right, right])[0] == [0.5, 0.5]
    assert best_weights([right, biased(right, 30.0)])[0] == [1.0, 0.0]
    assert best_weights([wrong, right])[0] == [0.0, 1.0]
    assert best_weights([right])[0] == [1.0]
    _, pooled = best_weights([right, [replace(right[0], scores=right[0].scores.scaled(3.0))]])
    np.testing.assert_allclose(pooled[0].scores.node, 2 * node)


def auto(**settings: Any) -> Pipeline:
    word = Template(WORD.window(1))
    return Pipeline({"low": Tagger(features=word), "up": Tagger(features=word)}, **settings)


def test_auto_pools_and_recalibrates_the_last_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.evaluate.judgement.CLEARLY", 99)  # no model is so much better
    lower = only(random_corpus(60, seed=1, longest=7), "word", "low")
    upper = only(random_corpus(40, seed=2, longest=9), "word", "up")
    titles = []
    pipeline = Pipeline(
        {
            "low": Tagger(features=Template(WORD)),
            "up": Tagger(features=Template(WORD).reading("low", conjoined=True)),
        },
        decode="auto",
    )
    pipeline.fit(
        {"low": lower, "up": upper}, folds=3, callback=lambda title, _: titles.append(title)
    )
    assert {"low", "up", "up, without part 3 of 3"} <= set(titles)
    made = pipeline["up"]
    pool = made.annotator if isinstance(made, Recalibrated) else made
    assert isinstance(pool, Pool)
    without, with_lower = (member.tagger for member in pool.members)
    assert without.model_.template.columns == ("word",)
    assert str(with_lower.model_.template).splitlines() == ["word", "low[-1..1]"]
    test = random_corpus(30, seed=8)
    found = pipeline.predict(test)
    again = Pipeline.load(pipeline.to_bytes())
    assert again.decode == "auto"
    assert again.predict(test) == found
    assert len(pipeline.tag(test)) == 30
    assert pipeline.explain(test[0]) is not None


def test_auto_reads_the_tasks_below_also_where_the_template_does_not() -> None:
    corpus = random_corpus(40, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    assert pipeline.candidates_ is not None
    _, with_lower = pipeline.candidates_.members
    assert str(with_lower.model_.template).splitlines() == ["word[-1..1]", "low[-1..1]"]


def test_transfer_can_be_taken_away() -> None:
    corpus = random_corpus(40, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    alone = without_transfer(pipeline)
    assert alone.names == ["up"]
    own = Pipeline({"up": Tagger(features=Template(WORD.window(1)))}, decode="auto")
    test = random_corpus(30, seed=8)
    assert alone.predict(test) == own.fit({"up": corpus}, folds=2).predict(test)
    assert len(pipeline.names) == 2
    with pytest.raises(DataError, match="right after fit"):
        without_transfer(Pipeline.load(pipeline.to_bytes()))


def test_auto_of_one_task_is_recalibration_alone() -> None:
    corpus = only(random_corpus(40, seed=2, longest=9), "word", "up")
    pipeline = Pipeline({"up": Tagger(features=Template(WORD), c2=5.0)}, decode="auto")
    pipeline.fit(corpus, folds=3)
    made = pipeline["up"]
    pool = made.annotator if isinstance(made, Recalibrated) else made
    assert len(pool.members) == 1
    first = pipeline.predict(corpus)
    assert pipeline.fit(corpus, folds=3).predict(corpus) == first


def test_auto_is_told_by_decode_or_training() -> None:
    corpus = random_corpus(30, seed=2)
    assert isinstance(auto().fit(corpus)["up"], Tagger)
    assert not isinstance(auto().fit(corpus, training="auto", folds=2)["up"], Tagger)


def test_corrections_are_checked(tagger: Tagger) -> None:
    corpus = Corpus.from_lists({"word": [["a"]], "up": [["Q"]]})
    made = TaggerLayer(tagger).potentials(corpus, {})
    labels = tuple(tagger.labels_)
    with pytest.raises(DataError, match="no sequence to recalibrate on"):
        fit_correction([HeldOut(corpus, "up", made)], 1.0, labels)
    with pytest.raises(DataError, match="strength is 0"):
        fit_correction([HeldOut(corpus, "up", made)], 0, labels)
    spec = Correction(labels, np.zeros(2), np.zeros((2, 2))).spec()
    with pytest.raises(ValueError, match="does not fit"):
        Correction.from_spec({**spec, "bias": [1.0]})


def test_an_auto_pipeline_can_be_trained_again_in_any_way() -> None:
    corpus = random_corpus(30, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    for training in ("auto", "cascade", "soft", "gold", "joint"):
        pipeline.fit(corpus, folds=2, training=training)  # type: ignore[arg-type]
        assert len(pipeline.predict(corpus)["up"]) == 30


def test_sequences_that_cannot_be_used_are_left_out(tagger: Tagger) -> None:
    """Missing labels, and labels that the constraints of a fold's model forbid."""
    corpus = random_corpus(20, seed=5)
    labels = tuple(tagger.labels_)
    made = TaggerLayer(tagger).potentials(corpus, {})
    expected = fit_correction([HeldOut(corpus, "up", made)], 1.0, labels)
    odd = corpus.select([0]).with_column("up", [[None] * len(corpus[0])])
    blocked = Potentials(labels, np.full((len(corpus[0]), 2), -np.inf), np.zeros((2, 2)))
    texts = [
        HeldOut(corpus, "up", made),
        HeldOut(corpus.select([0]), "up", blocked),
        HeldOut(odd, "up", TaggerLayer(tagger).potentials(odd, {})),
    ]
    found = fit_correction(texts, 1.0, labels)
    np.testing.assert_allclose(found.bias, expected.bias, atol=1e-6)


def test_auto_takes_text_with_missing_labels() -> None:
    corpus = random_corpus(30, seed=2)
    values = corpus.lists("up")
    values[3] = [None] * len(values[3])
    pipeline = auto(decode="auto").fit(corpus.with_column("up", values), folds=2)
    assert len(pipeline.predict(corpus)["up"]) == 30


def test_auto_without_a_whole_sequence_is_not_corrected() -> None:
    corpus = random_corpus(20, seed=2)
    values = [[None, *row[1:]] for row in corpus.lists("up")]
    pipeline = auto(decode="auto").fit(corpus.with_column("up", values), folds=2)
    assert isinstance(pipeline["up"], Pool)


def test_auto_of_few_texts() -> None:
    corpus = random_corpus(3, seed=2)
    twice = Corpus.concatenate([corpus, corpus])
    lower = random_corpus(30, seed=3, longest=7)
    assert len(auto(decode="auto").fit({"low": lower, "up": twice}, folds=5).held_out_) == 3
    with pytest.raises(DataError, match="task 'up': auto needs at least two different sequences"):
        auto(decode="auto").fit({"low": lower, "up": corpus.select([0])})


def test_what_is_left_for_choices_is_of_the_last_training() -> None:
    corpus = random_corpus(20, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    assert pipeline.held_out_
    pipeline.fit(corpus, training="joint")
    assert not pipeline.held_out_
    assert pipeline.candidates_ is None


def test_a_refused_training_leaves_the_pipeline_as_it_was() -> None:
    corpus = random_corpus(20, seed=2)
    pipeline = auto(decode="auto").fit(corpus, folds=2)
    before = pipeline.predict(corpus)
    with pytest.raises(DataError):
        pipeline.fit({"low": corpus, "other": corpus})
    assert pipeline.predict(corpus) == before
    pipeline.fit({"low": corpus})
    assert pipeline.predict(corpus)["up"] == before["up"]
