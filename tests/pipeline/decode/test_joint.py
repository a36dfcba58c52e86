"""Joint decoding of trained taggers against enumeration of all labellings."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import Constraints, Corpus, Pipeline, Pool, Scores, Tagger, Template, column
from pipeline.conftest import LOWER, random_corpus


def enumerated(pipeline: Pipeline, words: list[str]) -> dict[tuple[tuple[str, ...], ...], float]:
    """Scores of all joint labellings: each tagger's own path score, given the columns it reads."""
    out = {}
    each = [product(pipeline[name].labels_, repeat=len(words)) for name in pipeline.names]
    for labelling in product(*each):
        columns = dict(zip(pipeline.names, ([list(path)] for path in labelling), strict=True))
        filled = Corpus.from_lists({"word": [words], **columns})
        total = 0.0
        for name, path in zip(pipeline.names, labelling, strict=True):
            model, batch = pipeline[name].model_, pipeline[name].encode(filled)
            codes = np.array([model.labels.index(y) for y in path], np.int32)
            score = model.native.path_scores(batch, codes, model.constraints)[0]
            total += pipeline.weights[name] * float(score)
        out[labelling] = total
    return out


@pytest.mark.parametrize("weights", [{}, {"low": 0.5, "mid": 2.0}])
@pytest.mark.parametrize("words", ["a", "bc", "fah"])
def test_joint_decoding_finds_the_best_of_all_labellings(
    layers: dict[str, Any], words: str, weights: dict[str, float]
) -> None:
    pipeline = Pipeline(layers, weights=weights)
    truth = enumerated(pipeline, list(words))
    best = max(truth, key=lambda labelling: truth[labelling])
    values = np.array(list(truth.values()))
    log_z = float(np.logaddexp.reduce(values))

    found = pipeline.predict([list(words)])
    assert tuple(tuple(found[name][0]) for name in pipeline.names) == best

    [tagging] = pipeline.tag([list(words)])
    assert tagging.probability == pytest.approx(np.exp(truth[best] - log_z), rel=1e-4)
    for k, name in enumerate(pipeline.names):
        own = tagging.layers[name]
        assert tuple(own.labels) == best[k]
        for t, confidence in enumerate(own.confidences):
            agree = [v for path, v in truth.items() if path[k][t] == best[k][t]]
            expected = np.exp(np.logaddexp.reduce(agree) - log_z)
            assert confidence == pytest.approx(expected, rel=1e-4)

    ranked = sorted(truth.values(), reverse=True)
    [listed] = pipeline.predict_nbest([list(words)], 7)
    probabilities = [probability for _, probability in listed]
    np.testing.assert_allclose(probabilities, np.exp(np.array(ranked[:7]) - log_z), rtol=1e-4)


def test_a_layer_that_is_known_is_not_changed_and_the_rest_follows(
    pipeline: Pipeline, corpus: Corpus
) -> None:
    cascade = pipeline.annotate(corpus, decode="cascade")
    found = pipeline.annotate(cascade, known=["low", "mid"], decode="joint")
    for name in pipeline.names:
        assert found.lists(name) == cascade.lists(name)


def test_single_labels_may_be_known(pipeline: Pipeline) -> None:
    words = ["f", "a"]
    truth = enumerated(pipeline, words)
    for known in LOWER:
        given = Corpus.from_lists({"word": [words], "low": [[None, known]]})
        agreeing = {path: v for path, v in truth.items() if path[0][1] == known}
        best = max(agreeing, key=lambda path: agreeing[path])
        found = pipeline.predict(given, known=["low"])
        assert tuple(tuple(found[name][0]) for name in pipeline.names) == best


def test_layers_that_read_nothing_of_each_other_are_decoded_as_alone(corpus: Corpus) -> None:
    features = Template(column("word").window(1))
    taggers = {
        name: Tagger(features=features, c2=0.1).fit(corpus, label=name) for name in ("low", "mid")
    }
    found = Pipeline(taggers, decode="joint").predict(corpus)
    assert found == {name: tagger.predict(corpus) for name, tagger in taggers.items()}


def test_features_that_look_elsewhere_see_the_cascade(corpus: Corpus) -> None:
    """A label two tokens on cannot be followed: the best guess at it is read instead."""
    word, low = column("word"), column("low")
    lower = Tagger(features=Template(word), c2=0.1).fit(corpus, label="low")
    upper = Tagger(features=Template(word, low[2]), c2=0.1).fit(corpus, label="up")
    pipeline = Pipeline([lower, upper])
    assert pipeline.predict(corpus, decode="joint") == pipeline.predict(corpus, decode="cascade")


def test_constraints_hold_in_joint_decoding(corpus: Corpus) -> None:
    rule = Constraints(follow={"X": {"Y"}}, end={"Y"})
    low = Tagger(features=Template(column("word")), c2=0.1).fit(corpus, label="low")
    legal = [
        s for s, labels in enumerate(corpus.lists("up")) if "XX" not in "".join(map(str, labels))
    ]
    legal = [s for s in legal if corpus.lists("up")[s][-1] == "Y"]
    up = Tagger(features=Template(column("low")), c2=0.1, constraints=rule)
    up.fit(corpus.select(legal), label="up")
    for labels in Pipeline([low, up]).predict(corpus, decode="joint")["up"]:
        text = "".join(labels)
        assert "XX" not in text
        assert text.endswith("Y")


def test_features_on_transitions_count(corpus: Corpus) -> None:
    word, low = column("word"), column("low")
    lower = Tagger(features=Template(word), c2=0.1).fit(corpus, label="low")
    both = Template(word, low & word, word.on("transitions"))
    upper = Tagger(features=both, c2=0.1).fit(corpus, label="up")
    pipeline = Pipeline([lower, upper])
    truth = enumerated(pipeline, ["a", "f", "c"])
    found = pipeline.predict([["a", "f", "c"]])
    labelling = tuple(tuple(found[name][0]) for name in pipeline.names)
    assert truth[labelling] == pytest.approx(max(truth.values()), abs=1e-4)


WORD, LOW, MID = column("word"), column("low"), column("mid")
GIVEN_TRANSITIONS = {
    "alone": Template(WORD, LOW.on("transitions")),
    "both": Template(WORD, LOW.on("both"), WORD.on("transitions")),
    "with words": Template(WORD, LOW & WORD, (LOW & WORD).on("transitions")),
    "with lags": Template(WORD[-1], LOW[-1], LOW.on("transitions"), (LOW & WORD[-1]).on("both")),
}


@pytest.fixture(scope="module", params=list(GIVEN_TRANSITIONS))
def conditioned(request: pytest.FixtureRequest, corpus: Corpus) -> Pipeline:
    """A tagger whose transitions depend on the label below, eq. 7 of Sutton and McCallum."""
    lower = Tagger(features=Template(WORD), c2=0.5).fit(corpus, label="low")
    features = GIVEN_TRANSITIONS[request.param]
    return Pipeline([lower, Tagger(features=features, c2=0.02).fit(corpus, label="up")])


@settings(max_examples=12, deadline=None)
@given(st.text("abcdefgh", min_size=1, max_size=3), st.sampled_from([1.0, 0.4]))
def test_transitions_given_a_label_below_are_latent(
    conditioned: Pipeline, words: str, weight: float
) -> None:
    pipeline = conditioned.with_weights(low=weight)
    truth = enumerated(pipeline, list(words))
    best = max(truth.values())
    log_z = float(np.logaddexp.reduce(list(truth.values())))
    for inference in ("exact", "auto", "sparse", "beam", "loopy"):
        pipeline.set_params(inference=inference)
        found = pipeline.predict([list(words)])
        score = truth[tuple(tuple(found[name][0]) for name in pipeline.names)]
        if inference == "loopy":
            assert score >= best - 1.0  # approximate; it is the best in most cases
        else:
            assert score == pytest.approx(best, abs=1e-4)
    pipeline.set_params(inference="auto")
    [tagging] = pipeline.tag([list(words)])
    assert tagging.probability == pytest.approx(np.exp(best - log_z), rel=1e-3)
    for k, name in enumerate(pipeline.names):
        own = tagging.layers[name]
        for t, confidence in enumerate(own.confidences):
            agree = [v for path, v in truth.items() if path[k][t] == own.labels[t]]
            expected = np.exp(np.logaddexp.reduce(agree) - log_z)
            assert confidence == pytest.approx(expected, rel=1e-3)
    [listed] = pipeline.predict_nbest([list(words)], 5)
    ranked = sorted(truth.values(), reverse=True)[:5]
    probabilities = [probability for _, probability in listed]
    np.testing.assert_allclose(probabilities, np.exp(np.array(ranked) - log_z), rtol=1e-3)


def test_given_transitions_of_several_layers_are_latent_too(corpus: Corpus) -> None:
    templates = {
        "low": Template(WORD),
        "mid": Template(WORD, LOW.on("transitions")),
        "up": Template(WORD, (LOW & MID).on("transitions"), MID.on("transitions"), MID[-1]),
    }
    pipeline = Pipeline(
        {
            name: Tagger(features=template, c2=0.05).fit(corpus, label=name)
            for name, template in templates.items()
        }
    )
    for words in ("f", "ha", "cgb"):
        truth = enumerated(pipeline, list(words))
        for inference in ("exact", "sparse"):
            pipeline.set_params(inference=inference)
            found = pipeline.predict([list(words)])
            labelling = tuple(tuple(found[name][0]) for name in pipeline.names)
            assert truth[labelling] == pytest.approx(max(truth.values()), abs=1e-4)


def test_a_pool_is_the_mean_of_its_members_scores(corpus: Corpus, layers: dict[str, Any]) -> None:
    without = Tagger(features=Template(column("word")), c2=0.1).fit(corpus, label="up")
    pool = Pool([layers["up"], without], weights=[0.25, 0.75])
    latent = {"low": tuple(layers["low"].labels_), "mid": tuple(layers["mid"].labels_)}
    nothing = corpus.with_column("low", [[None] * len(s) for s in corpus])
    made = pool.potentials(nothing.with_column("mid", nothing.column("low")), latent)
    parts = [
        Pool([m]).potentials(nothing.with_column("mid", nothing.column("low")), latent)
        for m in (layers["up"], without)
    ]
    order = [parts[1].labels.index(y) for y in parts[0].labels]
    expected = 0.25 * parts[0].node + 0.75 * parts[1].node[:, order]
    np.testing.assert_allclose(made.node, expected)
    np.testing.assert_allclose(made.cotemporal["low",], 0.25 * parts[0].cotemporal["low",])
    pipeline = Pipeline({**layers, "up": pool})
    assert set(pipeline.predict(corpus)["up"][0]) <= {"X", "Y"}
    assert pipeline.predict(corpus, decode="cascade").keys() == {"low", "mid", "up"}


def test_scores_from_elsewhere_are_a_layer(corpus: Corpus, layers: dict[str, Any]) -> None:
    lower = layers["low"]
    model = lower.model_

    def scores(given: Corpus) -> list[Any]:
        batch = lower.encode(given)
        found = model.native.token_scores(batch)
        return [found[a:b] for a, b in zip(given.bounds[:-1], given.bounds[1:], strict=True)]

    wrapped = Scores(lower.labels_, scores, transitions=model.native.transitions())
    ours = Pipeline({"low": wrapped, "mid": layers["mid"]})
    theirs = Pipeline({"low": lower, "mid": layers["mid"]})
    for decode in ("cascade", "soft", "joint"):
        assert ours.predict(corpus, decode=decode) == theirs.predict(corpus, decode=decode)


def test_long_corpora_are_decoded_in_parts(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = random_corpus(60, seed=3)
    whole = pipeline.predict(corpus)
    monkeypatch.setattr("dovetail.pipeline.decode.inputs.AT_ONCE", 20)
    assert pipeline.predict(corpus) == whole
    assert pipeline.annotate(corpus).bounds.tolist() == corpus.bounds.tolist()


def test_empty_sequences_and_empty_data(pipeline: Pipeline) -> None:
    assert pipeline.predict([[], ["a"], []])["up"][0] == []
    assert pipeline.predict([]) == {"low": [], "mid": [], "up": []}
    assert [t.layers["up"].labels for t in pipeline.tag([[]])] == [[]]
