"""The pipeline as an object: its parts, its settings, its files, and what it refuses."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import (
    Corpus,
    DataError,
    DovetailError,
    ModelFileError,
    Pipeline,
    Pool,
    Scores,
    Tagger,
    Template,
    column,
)
from dovetail.corpus.labels import spans
from pipeline.conftest import only, random_corpus

WORD, LOW, MID = column("word"), column("low"), column("mid")


def test_layers_are_sorted_by_what_they_read(layers: dict[str, Any]) -> None:
    backwards = Pipeline(dict(reversed(layers.items())))
    assert backwards.names == ["low", "mid", "up"]
    assert Pipeline(list(layers.values())).names == ["low", "mid", "up"]
    assert repr(Pipeline(layers, decode="cascade")) == "<Pipeline: low -> mid -> up, cascade>"


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
            "fields": Tagger(features=Template(WORD.window(1)).reading("ner"), c2=0.3),
        }
    ).fit(corpus, training="gold")
    [tagging] = pipeline.tag([["by", "Ada", "Lovelace"]])
    [span] = tagging.layers["fields"].spans
    assert span[:3] == (1, 3, "WHO")
    listed = pipeline.predict_nbest([["by", "Ada", "Lovelace"]], 12**3)[0]
    assert sum(p for _, p in listed) == pytest.approx(1, abs=1e-6)
    having = sum(p for labels, p in listed if (1, 3, "WHO") in spans(labels["fields"]))
    assert span.probability == pytest.approx(having, abs=1e-5)


def test_explain_says_what_changed_and_why(pipeline: Pipeline, corpus: Corpus) -> None:
    cascade = pipeline.predict(corpus, decode="cascade")
    joint = pipeline.predict(corpus, decode="joint")
    changed = [s for s in range(len(corpus)) if any(cascade[n][s] != joint[n][s] for n in joint)]
    same = next(s for s in range(len(corpus)) if s not in changed)
    assert changed, "the fixture should have changes"
    assert str(pipeline.explain(corpus[same])) == "joint decoding and the cascade agree"
    for s in changed[:5]:
        found = pipeline.explain(corpus[s], top=10_000)
        listed = {(c.layer, c.token): (c.cascade, c.joint) for c in found.changes}
        expected = {
            (name, t): (a, b)
            for name in pipeline.names
            for t, (a, b) in enumerate(zip(cascade[name][s], joint[name][s], strict=True))
            if a != b
        }
        assert listed == expected
        assert found.gain > 0
        assert sum(r.gain for r in found.reasons) == pytest.approx(found.gain)
        assert found.changes[0].word in str(found)
        best = pipeline.explain(corpus[s], top=1).reasons
        assert len(best) == 1
        assert abs(best[0].gain) == max(abs(r.gain) for r in found.reasons)
        assert found.to_dict()["gain"] == found.gain


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


def test_one_file_for_all_layers(layers: dict[str, Any], corpus: Corpus, tmp_path: Path) -> None:
    other = Tagger(features=Template(WORD), c2=0.1).fit(corpus, label="up")
    pool = Pool([layers["up"], other], weights=[0.7, 0.3])
    pipeline = Pipeline(
        {**layers, "up": pool}, decode="soft", weights={"low": 1.5}, inference="sparse", lattice=3
    )
    pipeline.save(tmp_path / "all.dovetail")
    again = Pipeline.load(tmp_path / "all.dovetail")
    assert again.names == pipeline.names
    assert (again.decode, again.weights, again.lattice) == ("soft", pipeline.weights, 3)
    assert again.inference == "sparse"
    for decode in ("cascade", "joint"):
        expected = pipeline.predict(corpus, decode=decode)  # type: ignore[arg-type]
        assert again.predict(corpus, decode=decode) == expected  # type: ignore[arg-type]
    with pytest.raises(ModelFileError, match="holds a pipeline of several taggers"):
        dovetail.load(tmp_path / "all.dovetail")
    layers["low"].save(tmp_path / "one.dovetail")
    with pytest.raises(ModelFileError, match="holds a single tagger"):
        Pipeline.load(tmp_path / "one.dovetail")


def test_damaged_files_give_errors(pipeline: Pipeline) -> None:
    content = pipeline.to_bytes()
    for cut in (3, 40, len(content) // 2, len(content) - 9):
        with pytest.raises(ModelFileError):
            Pipeline.load(content[:cut])
    rng = np.random.default_rng(0)
    for place in rng.integers(len(content), size=40):
        broken = bytearray(content)
        broken[place] ^= 0xFF
        try:
            Pipeline.load(bytes(broken))
        except ModelFileError:
            continue
        pytest.fail(f"a changed byte at {place} was not noticed")


def test_layers_of_ones_own_are_given_again(layers: dict[str, Any], corpus: Corpus) -> None:
    own = Scores(layers["low"].labels_, lambda c: [np.zeros((len(s), 3)) for s in c])
    content = Pipeline({**layers, "low": own}).to_bytes()
    with pytest.raises(DovetailError, match=r"'low' .* annotator of your own"):
        Pipeline.load(content)
    again = Pipeline.load(content, layers={"low": own})
    assert len(again.predict(corpus)["up"]) == len(corpus)


def test_taggers_of_a_pipeline_can_be_pickled_and_copied(layers: dict[str, Any]) -> None:
    tagger = pickle.loads(pickle.dumps(layers["up"]))
    assert Pipeline({**layers, "up": tagger}).names == ["low", "mid", "up"]


def test_results_do_not_depend_on_threads(layers: dict[str, Any]) -> None:
    corpus = random_corpus(50, seed=6)
    one, four = (Pipeline(layers, threads=n) for n in (1, 4))
    assert one.predict(corpus) == four.predict(corpus)
    for a, b in zip(one.tag(corpus), four.tag(corpus), strict=True):
        assert a == b


# What is refused


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
            "no decoding 'jointly'; choose from none, cascade, soft, joint, auto",
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


def test_spans_of_a_joint_model_that_is_too_large_to_be_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words, ner = [["by", "Ada"], ["at", "noon"]], [["O", "B-PER"], ["O", "O"]]
    fields = [["O", "B-WHO"], ["O", "B-WHEN"]]
    corpus = Corpus.from_lists({"word": words, "ner": ner, "fields": fields})
    pipeline = Pipeline(
        {
            "ner": Tagger(features=Template(WORD), c2=0.1),
            "fields": Tagger(features=Template(WORD).reading("ner"), c2=0.1),
        }
    ).fit(corpus, training="gold")
    [exact] = pipeline.tag([["by", "Ada"]])
    monkeypatch.setattr("dovetail.grid.grid.AFFORDABLE", 3)
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


def test_a_pipeline_that_has_been_used_can_be_pickled(pipeline: Pipeline, corpus: Corpus) -> None:
    expected = pipeline.predict(corpus)
    assert pickle.loads(pickle.dumps(pipeline)).predict(corpus) == expected


def test_arrays_of_scores_are_for_one_corpus_of_any_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = random_corpus(30, seed=1)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(len(s), 2)) for s in corpus]
    pipeline = Pipeline({"x": Scores(["A", "B"], arrays)})
    whole = pipeline.predict(corpus)
    monkeypatch.setattr("dovetail.pipeline.inputs.AT_ONCE", 10)
    assert pipeline.predict(corpus) == whole
    with pytest.raises(DataError, match="give a function to score any data"):
        pipeline.explain(corpus[0])


def test_a_penalty_that_silences_a_lower_task_is_no_error(corpus: Corpus) -> None:
    low = Tagger(features=Template(WORD)).fit(corpus, label="low")
    up = Tagger(features=Template(WORD).reading("low"), c1=30.0, c2=0.0).fit(corpus, label="up")
    assert len(Pipeline([low, up]).predict(corpus)["up"]) == len(corpus)


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


def test_a_pool_with_a_layer_of_ones_own_is_given_again(
    layers: dict[str, Any], corpus: Corpus
) -> None:
    own = Scores(layers["low"].labels_, lambda c: [np.zeros((len(s), 3)) for s in c])
    pool = Pool([layers["low"], own])
    pipeline = Pipeline({**layers, "low": pool})
    again = Pipeline.load(pipeline.to_bytes(), layers={"low": pool})
    assert again["low"] is pool
    assert again.predict(corpus) == pipeline.predict(corpus)
    other = Scores(["A", "B"], lambda c: [np.zeros((len(s), 2)) for s in c])
    with pytest.raises(DovetailError, match="has other labels than when"):
        Pipeline.load(pipeline.to_bytes(), layers={"low": other})


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
