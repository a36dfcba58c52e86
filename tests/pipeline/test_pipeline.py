"""The pipeline as an object: its parts, its settings, and what it answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import (
    Corpus,
    DataError,
    Pipeline,
    Scores,
    Tagger,
    Template,
    column,
)
from dovetail.corpus.labels import spans
from dovetail.errors import NotFittedError
from pipeline.conftest import random_corpus

WORD = column("word")


def test_layers_are_sorted_by_what_they_read(layers: dict[str, Any]) -> None:
    backwards = Pipeline(dict(reversed(layers.items())))
    assert backwards.names == ["low", "mid", "up"]
    assert Pipeline(list(layers.values())).names == ["low", "mid", "up"]
    assert repr(Pipeline({"low": Tagger(c2=0.1)}, decode="cascade")) == (
        "Pipeline(layers={'low': Tagger(c2=0.1)}, decode='cascade')"
    )


def test_the_setting_changes_the_answer_but_not_the_weights(
    pipeline: Pipeline, corpus: Corpus
) -> None:
    answers = {}
    for decode in ("none", "cascade", "soft", "joint"):
        pipeline.decode = decode  # type: ignore[assignment]
        answers[decode] = pipeline.predict(corpus)
        assert pipeline.predict(corpus, decode=decode) == answers[decode]  # type: ignore[arg-type]
    assert len({str(answer) for answer in answers.values()}) > 2
    low = pipeline["low"].predict(corpus)
    assert answers["cascade"]["low"] == answers["none"]["low"] == low
    empty = corpus.with_column("low", [[None] * len(s) for s in corpus])
    assert answers["none"]["mid"] == pipeline["mid"].predict(empty)


def test_tag_gives_confidences_of_all_layers(pipeline: Pipeline, corpus: Corpus) -> None:
    for decode in ("cascade", "soft", "joint"):
        taggings = pipeline.tag(corpus, decode=decode)  # type: ignore[arg-type]
        predicted = pipeline.predict(corpus, decode=decode)  # type: ignore[arg-type]
        for s, tagging in enumerate(taggings):
            assert 0 < tagging.probability <= 1
            for name in pipeline.names:
                assert tagging.layers[name].labels == predicted[name][s]
                assert all(0 < p <= 1 for p in tagging.layers[name].confidences)
    cascade = pipeline.tag(corpus, decode="cascade")[0]
    alone = pipeline["low"].tag(corpus)[0]
    assert cascade.layers["low"].confidences == pytest.approx(alone.confidences, abs=1e-5)


def test_span_probabilities_of_joint_decoding() -> None:
    words = [["by", "Ada", "Lovelace"], ["at", "noon"], ["Ada", "spoke"]]
    ner = [["O", "B-PER", "I-PER"], ["O", "O"], ["B-PER", "O"]]
    fields = [["O", "B-WHO", "I-WHO"], ["O", "B-WHEN"], ["O", "O"]]
    corpus = Corpus.from_lists({"word": words, "ner": ner, "fields": fields})
    pipeline = Pipeline(
        {
            "ner": Tagger(features=Template(WORD), c2=0.3),
            "fields": Tagger(features=Template(WORD.window(1)).with_columns("ner"), c2=0.3),
        }
    ).fit(corpus, training="gold")
    [tagging] = pipeline.tag([["by", "Ada", "Lovelace"]])
    [span] = tagging.layers["fields"].spans
    assert span[:3] == (1, 3, "WHO")
    listed = pipeline.predict_nbest([["by", "Ada", "Lovelace"]], 12**3)[0]
    assert sum(p for _, p in listed) == pytest.approx(1, abs=1e-6)
    having = sum(p for labels, p in listed if (1, 3, "WHO") in spans(labels["fields"]))
    assert span.probability == pytest.approx(having, abs=1e-5)


def test_spans_of_a_joint_model_that_is_too_large_to_be_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words, ner = [["by", "Ada"], ["at", "noon"]], [["O", "B-PER"], ["O", "O"]]
    fields = [["O", "B-WHO"], ["O", "B-WHEN"]]
    corpus = Corpus.from_lists({"word": words, "ner": ner, "fields": fields})
    pipeline = Pipeline(
        {
            "ner": Tagger(features=Template(WORD), c2=0.1),
            "fields": Tagger(features=Template(WORD).with_columns("ner"), c2=0.1),
        }
    ).fit(corpus, training="gold")
    [exact] = pipeline.tag([["by", "Ada"]])
    monkeypatch.setattr("dovetail.grid.grid.MAX_STATES_OF_AUTO", 3)
    [sparse] = pipeline.tag([["by", "Ada"]])
    assert sparse.layers["fields"].spans[0][:3] == exact.layers["fields"].spans[0][:3]
    assert 0 < sparse.layers["fields"].spans[0].probability <= 1


def test_reports_say_how_a_joint_model_is_decoded(pipeline: Pipeline, corpus: Corpus) -> None:
    [report] = pipeline.reports(corpus)
    assert report.method == "exact"
    assert report.n_states == 12
    pipeline.inference = "sparse"
    [report] = pipeline.reports(corpus)
    assert report.method == "sparse"
    assert report.gap is not None
    assert 0.9 < (report.kept_mass or 0) <= 1


def test_results_do_not_depend_on_threads(layers: dict[str, Any]) -> None:
    corpus = random_corpus(50, seed=6)
    one, four = (Pipeline(layers, threads=n) for n in (1, 4))
    assert one.predict(corpus) == four.predict(corpus)
    for a, b in zip(one.tag(corpus), four.tag(corpus), strict=True):
        assert a == b


def test_tuned_weights_score_no_worse(layers: dict[str, Any]) -> None:
    held_out = random_corpus(40, seed=9)

    def right(pipeline: Pipeline) -> float:
        found = pipeline.predict(held_out)
        pairs = zip(found["up"], held_out.lists("up"), strict=True)
        return float(np.mean([a == b for x, y in pairs for a, b in zip(x, y, strict=True)]))

    plain, tuned = Pipeline(layers), Pipeline(layers, weights={"low": 0.05})
    start = right(tuned)
    tuned.tune(held_out, tasks=["up"], candidates=[0.5, 1.0, 2.0])
    assert right(tuned) >= start
    assert set(tuned.weights) == {"low", "mid", "up"}
    assert tuned.weights["up"] == 1.0
    assert plain.weights == {"low": 1.0, "mid": 1.0, "up": 1.0}


def test_weights_are_for_joint_decoding_alone(layers: dict[str, Any], corpus: Corpus) -> None:
    plain, weighted = Pipeline(layers), Pipeline(layers, weights={"low": 5.0}, lattice=3)
    plain.lattice = 3
    for decode in ("cascade", "soft"):
        a, b = (p.tag(corpus[:5], decode=decode) for p in (plain, weighted))  # type: ignore[arg-type]
        assert a == b


def test_known_labels_are_passed_on_softly_too(pipeline: Pipeline) -> None:
    found = []
    for known in ("P", "L"):
        given = Corpus.from_lists({"word": [["a", "f"]], "low": [[known, None]]})
        found.append(pipeline.tag(given, known=["low"], decode="soft")[0].layers["up"].confidences)
    assert found[0] != pytest.approx(found[1], abs=1e-4)


def test_arrays_of_scores_are_for_one_corpus_of_any_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = random_corpus(30, seed=1)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(len(s), 2)) for s in corpus]
    pipeline = Pipeline({"x": Scores(["A", "B"], arrays)})
    whole = pipeline.predict(corpus)
    monkeypatch.setattr("dovetail.pipeline.decode.inputs.AT_ONCE", 10)
    assert pipeline.predict(corpus) == whole
    with pytest.raises(DataError, match="give a function to score any data"):
        pipeline.explain(corpus[0])


def test_a_penalty_that_silences_a_lower_task_is_no_error(corpus: Corpus) -> None:
    low = Tagger(features=Template(WORD)).fit(corpus, label="low")
    up = Tagger(features=Template(WORD).with_columns("low"), c1=30.0, c2=0.0).fit(
        corpus, label="up"
    )
    assert len(Pipeline([low, up]).predict(corpus)["up"]) == len(corpus)


def test_parameters_are_set_all_or_none() -> None:
    corpus = random_corpus(20, seed=2)
    word = Template(column("word"))
    layers = {"low": Tagger(features=word), "up": Tagger(features=word)}
    pipeline = Pipeline(layers, weights={"low": 2.0}).fit(corpus)
    with pytest.raises(DataError, match="no parameter 'bogus'"):
        pipeline.set_params(low__c2=9.0, layers={"low": Tagger()}, bogus=1)
    assert pipeline.is_fitted
    assert pipeline.weights == {"low": 2.0, "up": 1.0}
    assert pipeline.get_params()["low__c2"] == "auto"
    pipeline.set_params(**pipeline.get_params())
    assert pipeline.weights == {"low": 2.0, "up": 1.0}
    other = Tagger(features=word, c2=3.0)
    pipeline.set_params(up=other, weights={"up": 3.0}, low__c2=0.5)
    assert pipeline.get_params()["up"] is other
    assert pipeline.weights == {"low": 1.0, "up": 3.0}
    assert pipeline.get_params()["low__c2"] == 0.5
    with pytest.raises(NotFittedError, match="'low' has not been trained"):
        pipeline.predict(corpus)
