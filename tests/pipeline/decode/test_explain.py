"""Why joint decoding decides otherwise than the cascade."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, Pipeline, Pool, Scores, Tagger, Template, column
from pipeline.conftest import random_corpus


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


def mixed(layers: dict[str, Any], corpus: Corpus) -> Pipeline:
    """A layer of scores from elsewhere, a tagger, and a pool."""

    def scores(given: Corpus) -> list[Any]:
        rows = [
            [[0.3 * ("abcdefgh".index(w) % 3 == k) for k in range(3)] for w in s]
            for s in given.lists("word")
        ]
        return [np.array(row).reshape(-1, 3) for row in rows]

    alone = Tagger(features=Template(column("word")), c2=0.1).fit(corpus, label="up")
    lower = Scores(["O", "P", "L"], scores, transitions=np.eye(3) / 5)
    pool = Pool([layers["up"], alone], weights=[0.8, 0.2])
    return Pipeline({"low": lower, "mid": layers["mid"], "up": pool}, weights={"mid": 2.0})


def score(pipeline: Pipeline, answer: Corpus) -> float:
    """The score of an answer for the one sequence of a corpus, by the layers' own scores."""
    total = 0.0
    for layer in pipeline.layers:
        made = layer.annotator.potentials(answer, {})
        codes = [made.labels.index(str(y)) for y in answer.lists(layer.name)[0]]
        total += layer.weight * sum(made.node[t, y] for t, y in enumerate(codes))
        total += layer.weight * sum(made.transitions[a, b] for a, b in pairwise(codes))
    return total


def test_reasons_of_all_kinds_of_layers_add_up(layers: dict[str, Any], corpus: Corpus) -> None:
    pipeline = mixed(layers, corpus)
    seen = set()
    for sequence in random_corpus(20, seed=7, longest=12):
        found = pipeline.explain(sequence, top=10_000)
        one = sequence.to_corpus()
        ours, theirs = (pipeline.annotate(one, decode=how) for how in ("joint", "cascade"))
        assert found.gain == pytest.approx(
            score(pipeline, ours) - score(pipeline, theirs), abs=1e-5
        )
        assert sum(reason.gain for reason in found.reasons) == pytest.approx(found.gain)
        seen |= {reason.layer for reason in found.reasons}
    assert seen == {"low", "mid", "up"}


def test_members_of_a_pool_may_lack_labels(layers: dict[str, Any], corpus: Corpus) -> None:
    values = [["O" if y == "L" else y for y in row] for row in corpus.lists("low")]
    fewer = Tagger(features=Template(column("word")), c2=0.1)
    fewer.fit(corpus.with_column("low", values), label="low")
    assert set(fewer.labels_) == {"O", "P"}
    pool = Pool([layers["low"], fewer], weights=[0.9, 0.1], labels=layers["low"].labels_)
    pipeline = Pipeline({**layers, "low": pool}, weights={"low": 0.5})
    labels, n_changes = set(), 0
    for sequence in random_corpus(40, seed=7, longest=12):
        found = pipeline.explain(sequence, top=10_000)
        one = sequence.to_corpus()
        ours, theirs = (pipeline.annotate(one, decode=how) for how in ("joint", "cascade"))
        expected = score(pipeline, ours) - score(pipeline, theirs)
        assert found.gain == pytest.approx(expected, abs=1e-5)
        n_changes += len(found.changes)
        labels |= {*ours.lists("low")[0]}
    assert n_changes
    assert "L" in labels


def test_a_pool_explains_its_labels_by_what_its_members_see(
    layers: dict[str, Any], corpus: Corpus
) -> None:
    pipeline = mixed(layers, corpus)
    pipeline.decode = "cascade"
    for sequence in random_corpus(5, seed=3, longest=8):
        answer = pipeline.annotate(sequence.to_corpus())
        labels = answer.lists("up")[0]
        found = pipeline.explain_layer("up", sequence, top=10_000)
        assert [token.label for token in found.tokens] == labels
        assert [token.word for token in found.tokens] == list(sequence["word"])
        for place, token in enumerate(found.tokens):
            changed = [*labels[:place], token.rival, *labels[place + 1 :]]
            loss = score(pipeline, answer) - score(pipeline, answer.with_column("up", [changed]))
            assert sum(c.margin for c in token.contributions) == pytest.approx(loss, abs=1e-5)
            assert token.rival_probability <= 1 - token.probability + 1e-9
    rival = pipeline["up"].labels_[-1]
    told = pipeline.explain_layer("up", corpus[0], why_not=rival)
    assert all(rival in (token.label, token.rival) for token in told.tokens)
