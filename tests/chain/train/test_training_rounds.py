"""When training stops, and how it goes on from an earlier model."""

from __future__ import annotations

import logging
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from chain.train.trained import (
    X,
    Y,
    accuracy,
    data,
    facts_and_arrays,
    value_of,
)
from dovetail import FeatureGroup, Tagger, demo
from dovetail.base import training
from dovetail.chain.groups import LARGEST_PRIOR, SMALLEST_PRIOR
from dovetail.chain.train.steps import Progress
from dovetail.evaluate import evaluate
from reference.announcements import announcements


@pytest.mark.parametrize("method", ["auto", "lbfgs", "dual", "sgd", "perceptron"])
def test_history(method: Any) -> None:
    seen: list[Progress] = []
    tagger = Tagger(c2=2.0, method=method).fit(data(), callback=seen.append)
    assert tagger.history_ == seen
    assert [p.iteration for p in seen] == list(range(1, len(seen) + 1))
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))
    assert all(p.held_out is None for p in seen)
    phases = {"auto": {"dual"}, "lbfgs": {"l-bfgs"}}
    assert {p.phase for p in seen} == phases.get(method, {method})
    assert seen[-1].n_active > 1000
    assert tagger.training_["iterations"] == len(seen)
    assert tagger.training_["stopped"] == tagger.stopped_
    if method in ("auto", "lbfgs", "dual"):
        assert seen[-1].gap is not None
        assert seen[-1].gap <= 1e-3
        assert seen[-1].objective == tagger.training_["objective"]
        assert seen[-1].gradient_norm is not None
        assert seen[-1].gradient_norm > 0


def test_lbfgs_never_goes_up() -> None:
    for choices in ({}, {"c1": 0.5}, {"c2": 0.0, "max_iterations": 60}):
        history = Tagger(method="lbfgs", **choices).fit(data()).history_
        values = [p.objective for p in history if p.objective is not None]
        assert len(values) == len(history) > 5
        # The same point can have a little more when double precision takes over.
        assert all(b <= a + 1e-7 * values[0] for a, b in pairwise(values))


@pytest.mark.parametrize("c2", [0.01, 1.0])
def test_stochastic_gradients_claim_no_certificate(c2: float) -> None:
    tagger = Tagger(method="sgd", c2=c2).fit(data())
    assert tagger.stopped_ == "30 epochs are done; not certified: use auto"
    assert all(progress.gap is None for progress in tagger.history_)


def test_extreme_priors_can_be_trained_with() -> None:
    for prior in (SMALLEST_PRIOR, LARGEST_PRIOR):
        groups = [FeatureGroup("p1=*", prior=prior)]
        tagger = Tagger(groups=groups, max_iterations=30).fit(data())
        assert np.isfinite([w for _, _, w in tagger.top_weights(10**6)]).all()
        assert accuracy(tagger.predict(X), Y) > 0.75


def test_a_callback_can_stop() -> None:
    tagger = Tagger(method="lbfgs").fit(data(), callback=lambda p: p.iteration == 4)
    assert len(tagger.history_) == 4
    assert tagger.stopped_ == "the callback asked to stop"
    assert tagger.predict(X[:1])


@pytest.mark.parametrize("method", ["auto", "lbfgs", "dual", "sgd", "perceptron"])
def test_max_iterations(method: Any) -> None:
    tagger = Tagger(method=method, max_iterations=3).fit(data())
    assert len(tagger.history_) == 3
    assert tagger.stopped_ == "the limit of 3 iterations is reached"


def test_held_out_data_stops_and_the_best_round_is_kept() -> None:
    held_out = announcements("test", 60)
    tagger = Tagger(c2=0.01, method="lbfgs", tolerance=1e-9).fit(
        data(), held_out=held_out, patience=10
    )
    scores = [p.held_out for p in tagger.history_]
    assert None not in scores
    best = max(scores)
    assert tagger.stopped_ == "no better held-out score for 10 rounds"
    assert scores.index(best) == len(scores) - 11
    final = evaluate(held_out[1], tagger.predict(held_out[0])).micro.f1
    assert final == best > scores[-1]
    assert tagger.training_["held_out"] == best


def test_held_out_data_without_spans_is_scored_by_accuracy() -> None:
    made = [[["a"], ["b"]], [["b"], ["a"]]]
    labels = [["X", "Y"], ["Y", "X"]]
    held_out = ([[["a"], ["b"], ["a"], ["a"]]], [["X", "Y", "X", "Y"]])
    tagger = Tagger(c2=0.1).fit(made, labels, held_out=held_out)
    assert tagger.history_[-1].held_out == 0.75


def test_a_corpus_is_held_out_too() -> None:
    corpus = dovetail.read(demo.path("train.conll"))
    tagger = Tagger(c2=0.1, max_iterations=20).fit(corpus[:40], held_out=corpus[40:60])
    scores = [p.held_out for p in tagger.history_ if p.held_out is not None]
    gold = corpus[40:60].lists("label")
    assert max(scores) == evaluate(gold, tagger.predict(corpus[40:60])).micro.f1 > 0.2


@pytest.mark.parametrize("when", [1, 3])
@pytest.mark.parametrize("method", ["auto", "lbfgs", "sgd", "perceptron"])
def test_an_interrupted_training_keeps_a_model(method: Any, when: int) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == when:
            raise KeyboardInterrupt

    tagger = Tagger(method=method).fit(data(), callback=interrupt)
    assert tagger.stopped_ == f"interrupted after {when} rounds; the best model so far is kept"
    assert len(tagger.history_) == when
    assert dovetail.load(tagger.to_bytes()).predict(X[:3]) == tagger.predict(X[:3])
    stopped = Tagger(method=method, max_iterations=when).fit(data())
    assert facts_and_arrays(stopped)[1] == facts_and_arrays(tagger)[1]


def test_an_error_in_a_callback_is_not_swallowed_and_keeps_the_earlier_model() -> None:
    tagger = Tagger().fit(data())
    before = tagger.to_bytes()

    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tagger.fit(X[:5], Y[:5], callback=fail)
    assert tagger.to_bytes() == before


# Going on from an earlier model


def test_a_checkpoint_can_be_used_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The training dies in round 20; its checkpoint has the weights of the round before."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    groups = [FeatureGroup("s?=*", prior=3.0), FeatureGroup("word*", prior=0.5)]
    path = tmp_path / "checkpoint.dovetail"
    objectives: list[float] = []

    def die(progress: Progress) -> None:
        assert path.exists() or progress.iteration == 1
        objectives.append(progress.objective or 0.0)
        if progress.iteration == 20:
            raise MemoryError

    settings: dict[str, Any] = {"method": "lbfgs", "groups": groups, "tolerance": 1e-5}
    with pytest.raises(MemoryError):
        Tagger(**settings).fit(data(), checkpoint=path, callback=die)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert len(dovetail.load(path).predict(X[:2])) == 2
    resumed = Tagger(**settings).fit(data(), warm_start=path)
    assert resumed.history_[0].objective == pytest.approx(objectives[-2], rel=1e-5)
    whole = Tagger(**settings).fit(data())
    assert resumed.training_["objective"] == pytest.approx(whole.training_["objective"], rel=1e-4)


def test_the_last_checkpoint_is_the_model(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.dovetail"
    tagger = Tagger().fit(data(), checkpoint=path)
    assert dovetail.load(path).predict_marginals(X[:3]) == tagger.predict_marginals(X[:3])


@pytest.mark.parametrize("method", ["auto", "lbfgs", "sgd", "perceptron"])
def test_a_warm_start_with_other_labels_keeps_the_old_weights(method: Any) -> None:
    old = [[y if "SPEAKER" in y else "O" for y in row] for row in Y]
    earlier = Tagger(c2=0.1).fit(X, old)
    warm = Tagger(c2=0.1, method=method, max_iterations=1).fit(X, Y, warm_start=earlier)
    cold = Tagger(c2=0.1, method="lbfgs", max_iterations=1).fit(X, Y)
    assert warm.labels_ != earlier.labels_
    assert value_of(warm, 0.1) < 0.6 * value_of(cold, 0.1)


def test_a_warm_start_on_the_same_data_is_there_at_once() -> None:
    earlier = Tagger(tolerance=1e-4).fit(data())
    for source in (earlier, earlier.to_bytes()):
        again = Tagger(tolerance=1e-3).fit(data(), warm_start=source)
        assert len(again.history_) <= 3
        assert again.stopped_.startswith("certified")


def test_a_warm_start_maps_transition_features_and_drops_what_is_gone() -> None:
    groups = [FeatureGroup("word*", on="both")]
    earlier = Tagger(groups=groups, method="lbfgs").fit(X, Y)
    backwards = Tagger(groups=groups, method="lbfgs", tolerance=1e-2).fit(
        X[::-1], Y[::-1], warm_start=earlier
    )
    assert backwards.history_[0].objective == pytest.approx(
        earlier.training_["objective"], rel=1e-5
    )
    fewer = Tagger(groups=groups, max_iterations=1, method="lbfgs").fit(
        X[:9], Y[:9], warm_start=earlier
    )
    assert fewer.n_features_ < earlier.n_features_


@pytest.mark.parametrize("method", ["auto", "dual", "sgd"])
def test_a_warm_start_that_shares_nothing_is_a_cold_one(
    method: Any, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = Tagger().fit([[["other"], ["thing"]]], [["A", "B"]])
    with caplog.at_level(logging.WARNING, logger="dovetail"):
        tagger = Tagger(method=method).fit(data(), warm_start=stranger)
    assert [record.message for record in caplog.records] == [
        "the model to start from shares no weight with this data; training starts afresh"
    ]
    assert facts_and_arrays(tagger) == facts_and_arrays(Tagger(method=method).fit(data()))
