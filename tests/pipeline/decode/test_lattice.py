"""Decoding against a lattice of labellings: the mixture, by enumeration."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, LinearTagger, Pipeline, Tagger, Template, column
from dovetail.errors import DataError
from dovetail.pipeline.decode.lattice import Lattice
from pipeline.conftest import random_corpus

WORD, LOW, MID = column("word"), column("low"), column("mid")
ALL = 200  # labellings


def distribution(tagger: Any, corpus: Corpus) -> dict[tuple[str, ...], float]:
    """The probability of every labelling of one sequence."""
    model, batch = tagger.model_, tagger.encode(corpus)
    scores = {}
    for path in product(tagger.labels_, repeat=corpus.n_tokens):
        codes = np.array([model.labels.index(y) for y in path], np.int32)
        scores[path] = float(model.native.path_scores(batch, codes, model.constraints)[0])
    log_z = np.logaddexp.reduce(list(scores.values()))
    return {path: float(np.exp(score - log_z)) for path, score in scores.items()}


def mixtures(pipeline: Pipeline, words: list[str], n: int) -> dict[str, dict[Any, float]]:
    """What each layer says, given the n likeliest labellings of those below together."""
    lattice: list[tuple[dict[str, list[list[str]]], float]] = [({}, 1.0)]
    out = {}
    for name in pipeline.names:
        mixed: dict[Any, float] = {}
        wider = []
        for columns, weight in lattice:
            filled = Corpus.from_lists({"word": [words], **columns})
            for path, p in distribution(pipeline[name], filled).items():
                mixed[path] = mixed.get(path, 0.0) + weight * p
                wider.append(({**columns, name: [list(path)]}, weight * p))
        wider.sort(key=lambda one: -one[1])
        total = sum(p for _, p in wider[:n])
        lattice = [(columns, p / total) for columns, p in wider[:n]]
        out[name] = mixed
    return out


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    corpus = random_corpus(40)
    templates = {
        "low": Template(WORD),
        "mid": Template(WORD, LOW, LOW[-1]),
        "up": Template(WORD, MID, LOW & WORD, LOW[1]),
    }
    taggers = {
        name: Tagger(features=template, c2=0.3).fit(corpus, label=name)
        for name, template in templates.items()
    }
    return Pipeline(taggers, decode="lattice")


@pytest.mark.parametrize("n", [1, 3, ALL])
@pytest.mark.parametrize("words", ["a", "hc"])
def test_the_answer_is_that_of_the_mixture(pipeline: Pipeline, words: str, n: int) -> None:
    pipeline.set_params(lattice=n)
    [tagging] = pipeline.tag([list(words)])
    assert pipeline.predict([list(words)]) == {
        name: [tagging.layers[name].labels] for name in pipeline.names
    }
    together = 1.0
    for name, truth in mixtures(pipeline, list(words), n).items():
        found = tagging.layers[name]
        together *= truth[tuple(found.labels)]
        for t, (label, confidence) in enumerate(zip(found.labels, found.confidences, strict=True)):
            expected = sum(p for path, p in truth.items() if path[t] == label)
            assert confidence == pytest.approx(expected, rel=1e-3)
        assert truth[tuple(found.labels)] >= 0.9 * max(truth.values())
    assert tagging.probability == pytest.approx(together, rel=1e-3)


def test_one_labelling_is_the_cascade(pipeline: Pipeline) -> None:
    corpus = random_corpus(20, seed=5)
    pipeline.set_params(lattice=1)
    assert pipeline.predict(corpus) == pipeline.predict(corpus, decode="cascade")


def test_spans_known_labels_and_empty_sequences() -> None:
    rows = {"word": [["x", "Ada", "Byron"], [], ["Ada"]]}
    ner = [["O", "B-P", "I-P"], [], ["B-P"]]
    corpus = Corpus.from_lists({**rows, "ner": ner, "up": ner})
    taggers = {
        "ner": Tagger(features=Template(WORD), c2=0.1).fit(corpus, label="ner"),
        "up": Tagger(features=Template(WORD, column("ner")), c2=0.1).fit(corpus, label="up"),
    }
    pipeline = Pipeline(taggers, decode="lattice", lattice=4)
    first, empty, _ = pipeline.tag(rows["word"])
    [span] = first.layers["up"].spans
    assert tuple(span)[:3] == (1, 3, "P")
    assert 0 < span.probability <= min(first.layers["up"].confidences[1:])
    assert empty.layers["up"].labels == []
    given = Corpus.from_lists({"word": rows["word"][:1], "ner": [["O", "O", None]]})
    assert pipeline.predict(given, known=["ner"])["ner"][0][:2] == ["O", "O"]


def test_training_on_a_lattice_is_training_on_weighted_labellings() -> None:
    lower_text, upper_text = random_corpus(40, seed=1), random_corpus(15, seed=2)
    made = Pipeline(
        {
            "low": Tagger(features=Template(WORD), c2=0.5),
            "up": Tagger(features=Template(WORD, LOW), c2=0.5, tolerance=1e-6),
        },
        lattice=3,
    )
    made.fit({"low": lower_text, "up": upper_text}, training="lattice")
    rows: dict[str, list[Any]] = {"word": [], "low": [], "up": []}
    weights = []
    for s in range(len(upper_text)):
        words, labels = upper_text.lists("word")[s], upper_text.lists("up")[s]
        one = Corpus.from_lists({"word": [words]})
        ranked = sorted(distribution(made["low"], one).items(), key=lambda pair: -pair[1])[:3]
        total = sum(p for _, p in ranked)
        for path, p in ranked:
            for name, values in (("word", words), ("low", list(path)), ("up", labels)):
                rows[name].append(values)
            weights.append(p / total)
    plain = Tagger(features=Template(WORD, LOW), c2=0.5, tolerance=1e-6)
    plain.fit(Corpus.from_lists(rows), label="up", weights=weights)
    theirs = {(f, y): w for f, y, w in plain.top_weights(100)}
    for feature, label, weight in made["up"].top_weights(15):
        assert weight == pytest.approx(theirs[feature, label], abs=2e-2)


def test_shared_text_is_labelled_by_models_that_have_not_seen_it() -> None:
    corpus = random_corpus(30, seed=1)
    layers = {"low": Tagger(features=Template(WORD), c2=0.01), "up": Tagger(features=Template(LOW))}
    made = Pipeline(layers, decode="lattice").fit(corpus, training="lattice", folds=3)
    assert any("cross-fitted there, in 3 parts" in note for note in made.notes_)
    assert any("the penalty is 1 for all features" in note for note in made.notes_)
    again = Pipeline.load(made.to_bytes())
    assert again.decode == "lattice"
    assert again.predict(corpus) == made.predict(corpus)


def test_a_lattice_is_put_together_from_parts(pipeline: Pipeline) -> None:
    corpus = random_corpus(9, seed=3)
    low = pipeline.layers[0]
    whole = Lattice.start(corpus).extend(low, 4, None, 1)
    some, rest = np.array([7, 0, 3]), np.array([1, 2, 4, 5, 6, 8])
    parts = [
        (own, Lattice.start(corpus.select(own)).extend(low, 4, None, 1)) for own in (some, rest)
    ]
    joined = Lattice.join(parts, corpus)
    np.testing.assert_array_equal(joined.codes["low"], whole.codes["low"])
    np.testing.assert_allclose(joined.weights, whole.weights)
    np.testing.assert_array_equal(whole.select(some).codes["low"], parts[0][1].codes["low"])


def test_a_linear_tagger_cannot_be_trained_on_a_lattice() -> None:
    corpus = random_corpus(30, seed=1)
    layers = {"low": Tagger(features=Template(WORD)), "up": LinearTagger(features=Template(LOW))}
    with pytest.raises(DataError, match="only a Tagger can be trained on a lattice"):
        Pipeline(layers).fit(corpus, training="lattice", folds=2)


def test_long_sequences(pipeline: Pipeline) -> None:
    """Of which each labelling has a probability that no number can hold."""
    pipeline.set_params(lattice=3)
    words = [word for row in random_corpus(900, seed=7).lists("word") for word in row if word]
    found = pipeline.predict_marginals([words])["up"][0]
    assert all(sum(row.values()) == pytest.approx(1.0) for row in found)
    assert len(words) > 2000
