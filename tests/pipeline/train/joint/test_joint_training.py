"""Joint training: gradients, the optimum, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, Pipeline, Tagger, Template, TrainingError, column
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.train.joint.objective import JointObjective
from pipeline.conftest import random_corpus
from pipeline.decode.test_joint import enumerated

WORD, LOW = column("word"), column("low")


def joint(corpus: Corpus) -> Pipeline:
    mid = column("mid")
    return Pipeline(
        {
            "low": Tagger(features=Template(WORD.window(1)), c2=0.5),
            "mid": Tagger(features=Template(WORD, LOW, LOW[-1]), c2=0.5, boundaries=False),
            "up": Tagger(features=Template(WORD & LOW, LOW & mid, mid[-1]), c2=0.5),
        }
    ).fit(corpus, training="gold")


def jointly_given(corpus: Corpus) -> Pipeline:
    """Transitions that depend on words and on labels below."""
    mid = column("mid")
    upper = Template(WORD & LOW, mid.on("both"), (LOW & mid & WORD).on("transitions"), mid[-1])
    return Pipeline(
        {
            "low": Tagger(features=Template(WORD, WORD[-1].on("transitions")), c2=0.5),
            "mid": Tagger(features=Template(WORD, LOW.on("transitions")), c2=0.5),
            "up": Tagger(features=upper, c2=0.5),
        }
    ).fit(corpus, training="gold")


def decoder(pipeline: Pipeline) -> Decoder:
    """That of its layers."""
    return Decoder(pipeline.layers, inference=pipeline.inference, threads=pipeline.threads)


def partly(corpus: Corpus) -> Corpus:
    """Some labels of two layers are unknown."""
    rng = np.random.default_rng(0)
    for name in ("low", "up"):
        values = [[y if rng.random() < 0.7 else None for y in row] for row in corpus.lists(name)]
        corpus = corpus.with_column(name, values)
    return corpus


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.pipeline.train.joint.objective.BLOCK", 6)


@pytest.mark.parametrize("known", ["all", "some", "the first"])
@pytest.mark.parametrize("made", [joint, jointly_given])
@pytest.mark.usefixtures("small_blocks")
def test_gradients_of_joint_training_match_finite_differences(
    made: Callable[[Corpus], Pipeline], known: str
) -> None:
    corpus = random_corpus(8, seed=1, longest=4)
    texts = {"all": corpus, "some": partly(corpus)}
    texts["the first"] = Corpus.concatenate([corpus[:5], texts["some"][5:]])
    objective = JointObjective(decoder(made(corpus)), texts[known])
    assert len(objective.blocks) > 2
    rng = np.random.default_rng(0)
    w = objective.start() + 0.3 * rng.normal(size=objective.size)
    value, gradient = objective(w)
    assert value > 0
    for _ in range(8):
        direction = rng.normal(size=objective.size) * (rng.random(objective.size) < 0.2)
        step = 1e-4
        ahead, behind = (objective(w + sign * step * direction)[0] for sign in (1, -1))
        assert (ahead - behind) / (2 * step) == pytest.approx(
            gradient @ direction, rel=1e-5, abs=1e-6
        )


@pytest.mark.parametrize("made", [joint, jointly_given])
def test_joint_training_raises_the_joint_likelihood_and_makes_ordinary_taggers(
    made: Callable[[Corpus], Pipeline],
) -> None:
    corpus = random_corpus(30, seed=1)
    before = JointObjective(decoder(made(corpus)), corpus)
    start = before(before.start())[0]
    rounds = []
    pipeline = made(corpus)
    pipeline.fit(corpus, training="joint", callback=lambda task, p: rounds.append((task, p.phase)))
    after = JointObjective(decoder(pipeline), corpus)
    value, gradient = after(after.start())
    assert value < start
    assert np.linalg.norm(gradient) < 0.1 * np.linalg.norm(before(before.start())[1])
    assert ("all tasks", "joint") in rounds
    again = Pipeline.load(pipeline.to_bytes())
    assert again.predict(corpus) == pipeline.predict(corpus)


@pytest.mark.parametrize("on", ["labels", "transitions"])
def test_one_layer_trained_jointly_is_a_chain(on: Any) -> None:
    corpus = random_corpus(30, seed=1)
    features = Template(WORD, WORD[-1].on(on), WORD[1])
    settings: dict[str, Any] = {"features": features, "c2": 0.5, "tolerance": 1e-6}
    alone = Tagger(**settings).fit(corpus, label="low")
    pipeline = Pipeline({"low": Tagger(**settings)}).fit(corpus, training="joint")
    ours, theirs = pipeline["low"].top_weights(20), alone.top_weights(20)
    assert [w[2] for w in ours] == pytest.approx([w[2] for w in theirs], abs=2e-3)


def test_the_objective_is_the_likelihood_by_enumeration() -> None:
    corpus = random_corpus(12, seed=1, longest=3)
    pipeline = jointly_given(corpus)
    objective = JointObjective(decoder(pipeline), corpus)
    w = objective.start()
    ends = np.cumsum([0, *(part.size for part in objective.parts)])
    expected = sum(0.5 * w[a:b] @ w[a:b] for a, b in pairwise(ends))
    for s in range(len(corpus)):
        truth = enumerated(pipeline, list(map(str, corpus.lists("word")[s])))
        gold = tuple(tuple(map(str, corpus.lists(name)[s])) for name in pipeline.names)
        expected += np.logaddexp.reduce(list(truth.values())) - truth[gold]
    assert objective(w)[0] == pytest.approx(expected, rel=1e-5)


def test_joint_training_by_loopy_gradients() -> None:
    corpus = random_corpus(15, seed=1)
    pipeline = joint(corpus)
    pipeline.inference = "loopy"
    pipeline.fit(corpus, training="joint")
    assert len(pipeline.predict(corpus)["up"]) == 15


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"c1": 1.0}, "no c1"), ({"label_weights": {"X": 2.0}}, "no label_weights")],
)
def test_what_joint_training_does_not_know(settings: dict[str, Any], message: str) -> None:
    corpus = random_corpus(15, seed=1)
    with pytest.raises(TrainingError, match=message):
        Pipeline({"up": Tagger(features=Template(WORD), **settings)}).fit(corpus, training="joint")


def test_joint_training_under_other_column_names_says_how_it_ended() -> None:
    corpus = random_corpus(15, seed=1)
    renamed = Corpus(
        {"word": corpus.column("word"), "A": corpus.column("low"), "B": corpus.column("up")},
        corpus.bounds,
    )
    lower = Tagger(features=Template(WORD), max_iterations=2)
    upper = Tagger(features=Template(WORD, LOW))
    pipeline = Pipeline({"low": lower, "up": upper})
    pipeline.fit(renamed, training="joint", labels={"low": "A", "up": "B"})
    assert pipeline["up"].stopped_ == "the limit of 2 iterations is reached"
    assert pipeline["up"].training_["iterations"] == 2
    assert pipeline["up"].training_["joint"] is True


def test_the_counts_of_known_labels_stand_for_a_clamped_grid() -> None:
    """Beside a token without labels, the same value is worked out by clamped grids."""
    corpus = random_corpus(8, seed=1, longest=4)
    unknown = Corpus.from_lists({"word": [["a"]], **{n: [[None]] for n in ("low", "mid", "up")}})
    both = Corpus.concatenate([corpus, unknown])
    pipeline = joint(corpus)
    known, clamped = (JointObjective(decoder(pipeline), text) for text in (corpus, both))
    assert [block.is_complete for block in (*known.blocks, *clamped.blocks)] == [True, False]
    ours, theirs = (objective(objective.start())[0] for objective in (known, clamped))
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_blocks_and_threads_do_not_change_the_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(30, seed=1)
    pipeline = joint(corpus)
    whole = JointObjective(decoder(pipeline), corpus)
    w = whole.start()
    value, gradient = whole(w)
    monkeypatch.setattr("dovetail.pipeline.train.joint.objective.BLOCK", 10)
    found = []
    for threads in (1, 4):
        blocks = JointObjective(replace(decoder(pipeline), threads=threads), corpus)
        found.append(blocks(w))
    assert found[0][0] == found[1][0] == pytest.approx(value, rel=1e-12)
    assert (found[0][1] == found[1][1]).all()
    np.testing.assert_allclose(found[0][1], gradient, atol=1e-9)


def test_the_optimum_is_certified_where_inference_is_exact_and_all_is_known() -> None:
    corpus = random_corpus(30, seed=1)
    pipeline = joint(corpus).fit(corpus, training="joint")
    gap = pipeline["up"].training_["gap"]
    assert pipeline["up"].stopped_.startswith("certified")
    assert 0 <= gap <= 1e-3
    pipeline.set_params(**{f"{name}__tolerance": 1e-7 for name in pipeline.names})
    value = pipeline["up"].training_["objective"]
    least = pipeline.fit(corpus, training="joint")["up"].training_["objective"]
    assert least <= value <= least * (1 + gap) * (1 + 1e-9)
    partial = joint(corpus).fit(partly(corpus), training="joint")
    assert partial["up"].training_["gap"] is None
