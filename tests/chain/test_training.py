"""Training methods: the optimum they reach, how they stop, and what they leave behind."""

from __future__ import annotations

import json
import logging
from collections import Counter
from functools import cache
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from scipy.optimize import minimize

import dovetail
from dovetail import Constraints, Dataset, FeatureGroup, Tagger, demo
from dovetail.chain import training
from dovetail.chain.dual import dual
from dovetail.chain.fitting import Fitting
from dovetail.chain.groups import LARGEST_PRIOR, SMALLEST_PRIOR
from dovetail.chain.objective import Objective
from dovetail.chain.steps import Progress
from dovetail.chain.weights import start_from
from dovetail.errors import DataError, DovetailError, ModelFileError, TrainingError
from dovetail.evaluate import evaluate
from reference.announcements import announcements

STRENGTHS = [0.01, 0.1, 1.0, 10.0]
X, Y = announcements("train", 60)


@cache
def data() -> Dataset:
    return Dataset.from_lists(X, Y)


def objective_of(c2: float, **choices: Any) -> Objective:
    problem = Fitting(Tagger(c2=c2, **choices).settings, data()).problem
    return Objective(problem, c2, precision="double", threads=1)


@cache
def optimum(c2: float) -> float:
    """The least value of the objective, found by another optimiser."""
    objective = objective_of(c2)
    options = {"maxiter": 2000, "maxfun": 3000, "ftol": 1e-13, "gtol": 1e-7, "maxcor": 20}
    found = minimize(
        objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", options=options
    )
    assert np.abs(found.jac).max() < 1e-4
    return float(found.fun)


def weights_of(tagger: Tagger, objective: Objective) -> Any:
    parameters = objective.problem.parameters()
    return start_from(tagger.model_, data(), parameters, np.ones(objective.size))


def value_of(tagger: Tagger, c2: float) -> float:
    objective = objective_of(c2)
    return objective(weights_of(tagger, objective))[0]


def accuracy(predicted: list[list[str]], gold: list[list[str]]) -> float:
    pairs = zip(chain(*predicted), chain(*gold), strict=True)
    return float(np.mean([one == other for one, other in pairs]))


def facts_and_arrays(tagger: Tagger) -> tuple[dict[str, Any], bytes]:
    """A model file's description, without times, and the bytes of its arrays."""
    content = tagger.to_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__")
    facts = json.loads(metadata["facts"])
    del facts["training"]["seconds"]
    return {"facts": facts, "checksums": metadata["checksums"], **header}, content[8 + length :]


# The optimum


@pytest.mark.parametrize(
    ("method", "c2"),
    [*product(["auto", "lbfgs"], STRENGTHS), *product(["dual"], [0.1, 1.0, 10.0])],
)
def test_optimum_is_that_of_another_optimiser(method: Any, c2: float) -> None:
    tagger = Tagger(c2=c2, method=method, tolerance=1e-3).fit(data())
    best = optimum(c2)
    assert best * (1 - 1e-7) <= value_of(tagger, c2) <= best * (1 + 2e-3)


@pytest.mark.parametrize("c2", STRENGTHS)
def test_double_precision_comes_as_close_as_one_asks(c2: float) -> None:
    tagger = Tagger(c2=c2, method="lbfgs", tolerance=1e-7, precision="double").fit(data())
    assert value_of(tagger, c2) == pytest.approx(optimum(c2), rel=2e-7)
    assert tagger.stopped_.startswith("certified")


@pytest.mark.parametrize(
    ("method", "c1", "c2"),
    [
        *product(["auto", "lbfgs"], [0.0, 0.5], [0.0, *STRENGTHS]),
        *product(["dual"], [0.0], STRENGTHS),
        *product(["sgd"], [0.0], STRENGTHS),
    ],
)
def test_no_method_diverges(method: Any, c1: float, c2: float) -> None:
    tagger = Tagger(c1=c1, c2=c2, method=method).fit(data())
    objective = objective_of(c2)
    w = weights_of(tagger, objective)
    at_zero = objective(np.zeros(objective.size))[0]
    assert objective(w)[0] + c1 * np.abs(w).sum() < 0.7 * at_zero
    assert accuracy(tagger.predict(X), Y) > 0.75


@pytest.mark.parametrize("c2", [0.1, 1.0, 10.0])
def test_the_certificate_bounds_the_distance_to_the_optimum(c2: float) -> None:
    rounding = 1e-5 * optimum(c2)
    for method in ("auto", "lbfgs", "dual"):
        history = Tagger(c2=c2, method=method, tolerance=1e-4).fit(data()).history_
        certified = [p for p in history if p.gap is not None and p.objective is not None]
        assert certified
        for p in certified:
            assert p.objective - optimum(c2) <= p.gap * p.objective + rounding


@pytest.mark.parametrize("c2", STRENGTHS)
def test_the_dual_value_never_exceeds_the_optimum(c2: float) -> None:
    steps = dual(objective_of(c2), tolerance=1e-4, seed=1)
    values = [step.notes["dual"] for step, _ in zip(steps, range(60), strict=False)]
    assert max(values) <= optimum(c2) * (1 + 1e-5)
    assert values[-1] > values[0]
    if c2 >= 1:
        assert values[-1] > 0.999 * optimum(c2)


@pytest.mark.parametrize(("c1", "c2"), [(1.0, 0.0), (1.0, 0.1), (3.0, 1.0)])
@pytest.mark.parametrize("method", ["auto", "lbfgs"])
def test_subgradient_conditions_hold_with_an_l1_penalty(method: Any, c1: float, c2: float) -> None:
    tagger = Tagger(c1=c1, c2=c2, method=method, tolerance=1e-7, precision="double").fit(data())
    objective = objective_of(c2)
    w = weights_of(tagger, objective)
    gradient = objective(w)[1]
    at_zero = w == 0
    assert 0.01 * len(w) < np.count_nonzero(w) < 0.5 * len(w)
    assert tagger.n_weights_ == np.count_nonzero(w)
    assert (np.abs(gradient[at_zero]) <= c1 * 1.05).all()
    np.testing.assert_allclose(gradient[~at_zero], -c1 * np.sign(w[~at_zero]), atol=0.05 * c1)
    smooth, slope = objective(np.zeros_like(w))
    assert objective(w)[0] + c1 * np.abs(w).sum() < smooth
    assert np.abs(slope).max() > c1  # not already the optimum at the start


@pytest.mark.parametrize(
    "choices",
    [
        {"label_weights": {"B-SPEAKER": 4.0}},
        {"groups": [FeatureGroup("word*", 2.0, "both")]},
        {"groups": [FeatureGroup("s?=*", 3.0)], "constraints": "IOB2"},
        {"all_pairs": True, "all_transitions": True, "min_count": 2, "boundaries": False},
    ],
)
def test_the_automatic_method_copes_with_all_settings(choices: dict[str, Any]) -> None:
    exact = Tagger(method="lbfgs", tolerance=1e-5, **choices).fit(data())
    tagger = Tagger(tolerance=1e-3, **choices).fit(data())
    own, best = tagger.training_["objective"], exact.training_["objective"]
    assert best * (1 - 1e-4) < own < best * (1 + 2e-3)


def test_partial_labels_are_learnt_from() -> None:
    """Labels of every third token only: worse than all of them, far better than none."""
    known: list[Any] = [[y if t % 3 == 0 else None for t, y in enumerate(row)] for row in Y]
    tagger = Tagger(c2=0.1).fit(X, known)
    test_x, test_y = announcements("test", 40)
    outside = accuracy([["O"] * len(row) for row in test_y], test_y)
    assert accuracy(tagger.predict(test_x), test_y) > outside + 0.05


def test_sequence_weights_are_like_repetition() -> None:
    repeated = Tagger(tolerance=1e-6, precision="double").fit(
        X[:20] * 2 + X[20:40], Y[:20] * 2 + Y[20:40]
    )
    weighted = Tagger(tolerance=1e-6, precision="double", method="lbfgs").fit(
        X[:40], Y[:40], weights=[2.0] * 20 + [1.0] * 20
    )
    assert weighted.training_["objective"] == pytest.approx(
        repeated.training_["objective"], rel=1e-5
    )


def test_the_perceptron_learns_what_can_be_separated() -> None:
    words = {"the": "DET", "a": "DET", "dog": "NOUN", "cat": "NOUN", "sees": "VERB", "her": "X"}
    sentences = ["the dog sees a cat", "her cat sees the dog", "a dog", "the cat sees her", "her"]
    made = [[[f"w={w}"] for w in s.split()] for s in sentences]
    labels = [[words[w] for w in s.split()] for s in sentences]
    tagger = Tagger(method="perceptron").fit(made, labels)
    assert tagger.stopped_ == "every training label is right"
    assert tagger.predict(made) == labels
    assert {p.phase for p in tagger.history_} == {"perceptron"}


def test_the_perceptron_generalises() -> None:
    tagger = Tagger(method="perceptron").fit(*announcements("train"))
    test_x, test_y = announcements("test")
    report = evaluate(test_y, tagger.predict(test_x))
    assert report.micro.f1 > 0.8


@pytest.mark.parametrize("c2", [0.1, 1.0])
def test_equal_to_crfsuite(c2: float, tmp_path: Path) -> None:
    """Same features, same penalty: an objective as low, and the same labels."""
    train_x, train_y = announcements("train", 150)
    test_x, _ = announcements("test")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": c2, "epsilon": 1e-7, "delta": 1e-10})
    for xs, ys in zip(train_x, train_y, strict=True):
        trainer.append(xs, ys)
    trainer.train(str(tmp_path / "peer.crfsuite"))
    theirs = trainer.logparser.last_iteration["loss"]
    peer = pycrfsuite.Tagger()
    peer.open(str(tmp_path / "peer.crfsuite"))
    tagger = Tagger(c2=c2, boundaries=False, tolerance=1e-6, precision="double")
    tagger.fit(train_x, train_y)
    assert tagger.training_["objective"] <= theirs * (1 + 1e-5)
    assert tagger.predict(test_x) == [peer.tag(xs) for xs in test_x]
    peer.close()


# The same result every time


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"c2": 0.01, "max_iterations": 30},
        {"c1": 1.0, "c2": 0.1, "max_iterations": 30},
        {"method": "lbfgs"},
        {"method": "sgd"},
        {"method": "perceptron"},
        {"groups": [FeatureGroup("word*", 2.0, "both")], "max_iterations": 15},
    ],
)
def test_same_bytes_for_any_number_of_threads(choices: dict[str, Any]) -> None:
    train = announcements("train")
    first = facts_and_arrays(Tagger(threads=1, **choices).fit(*train))
    for threads in (1, 2, 5):
        assert facts_and_arrays(Tagger(threads=threads, **choices).fit(*train)) == first


def test_the_seed_matters_where_there_is_chance() -> None:
    models = [Tagger(seed=seed, method="sgd").fit(data()) for seed in (0, 1)]
    assert facts_and_arrays(models[0])[1] != facts_and_arrays(models[1])[1]


# Stopping


@pytest.mark.parametrize("method", ["auto", "lbfgs", "dual", "sgd", "perceptron"])
def test_history(method: Any) -> None:
    seen: list[Progress] = []
    tagger = Tagger(method=method).fit(data(), callback=seen.append)
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
    tagger = Tagger(c2=0.1, max_iterations=8).fit(corpus[:40], held_out=corpus[40:60])
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
    """The training dies in round 20; its checkpoint has the weights of that round."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    groups = [FeatureGroup("s?=*", prior=3.0), FeatureGroup("word*", prior=0.5)]
    path = tmp_path / "checkpoint.dovetail"
    objectives: list[float] = []

    def die(progress: Progress) -> None:
        assert path.exists()
        objectives.append(progress.objective or 0.0)
        if progress.iteration == 20:
            raise MemoryError

    settings: dict[str, Any] = {"method": "lbfgs", "groups": groups, "tolerance": 1e-5}
    with pytest.raises(MemoryError):
        Tagger(**settings).fit(data(), checkpoint=path, callback=die)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert len(dovetail.load(path).predict(X[:2])) == 2
    resumed = Tagger(**settings).fit(data(), warm_start=path)
    assert resumed.history_[0].objective == pytest.approx(objectives[-1], rel=1e-5)
    whole = Tagger(**settings).fit(data())
    assert resumed.training_["objective"] == pytest.approx(whole.training_["objective"], rel=1e-4)


def test_the_last_checkpoint_is_the_model(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.dovetail"
    tagger = Tagger().fit(data(), checkpoint=path)
    assert dovetail.load(path).predict_marginals(X[:3]) == tagger.predict_marginals(X[:3])


def test_a_checkpoint_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        Tagger().fit(data(), checkpoint=tmp_path / "missing" / "model")


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


# What cannot be trained


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"c2": -1.0}, "c2 is -1.0; give a number of at least 0"),
        ({"c1": float("nan")}, "c1 is nan; give a number of at least 0"),
        ({"c2": float("inf")}, "c2 is inf"),
        ({"tolerance": 0.0}, "tolerance is 0.0; give a number above 0"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"method": "newton"}, "there is no method 'newton'; choose from auto, lbfgs"),
        ({"method": "sgd", "c1": 1.0}, "the method 'sgd' has no L1 penalty"),
        ({"method": "perceptron", "c1": 1.0}, "the method 'perceptron' has no L1 penalty"),
        ({"method": "dual", "c2": 0.0}, "the dual method cannot be used: it needs an L2 penalty"),
        ({"method": "dual", "c1": 1.0}, "the dual method cannot be used: it does not go with"),
        ({"method": "dual", "memory_limit": 1.0}, "the dual method cannot be used: it would take"),
        ({"method": "dual", "label_weights": {"O": 2.0}}, "cannot be used: labels have weights"),
        ({"method": "dual", "groups": [FeatureGroup("*", on="both")]}, "features weigh on trans"),
        ({"label_weights": {"Q": 1.0}}, "label_weights names 'Q', which the data does not have"),
        ({"label_weights": {"O": 0.0}}, "label_weights must be finite numbers above 0"),
        ({"constraints": "IOBES"}, "sequence 1 has labels"),
        ({"constraints": Constraints(follow={"Q": {"O"}})}, "the constraints name the label 'Q'"),
        ({"constraints": Constraints(start={"I-DATE"})}, "sequence 1 has labels"),
    ],
)
def test_settings_that_cannot_be(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        Tagger(**choices).fit(data())


def test_data_that_cannot_be_trained_on() -> None:
    with pytest.raises(TrainingError, match="no training data"):
        Tagger().fit([], [])
    with pytest.raises(TrainingError, match="no training data"):
        Tagger().fit([[], []], [[], []])
    with pytest.raises(TrainingError, match="has no labels"):
        Tagger().fit([[["a"]]], [[None]])
    with pytest.raises(DataError, match="feature lists need labels"):
        Tagger().fit([[["a"]]])
    with pytest.raises(TrainingError, match="no feature occurs 3 times; lower min_count"):
        Tagger(min_count=3).fit([[["a"]]], [["X"]])
    with pytest.raises(TrainingError, match="no feature occurs 9 times; lower min_count"):
        Tagger(min_count=9).fit([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(TrainingError, match="nothing to learn: the data has no features"):
        Tagger(boundaries=False).fit([[[]]], [["X"]])
    with pytest.raises(TrainingError, match="perceptron needs every label"):
        Tagger(method="perceptron").fit([[["a"], ["b"]]], [["X", None]])
    with pytest.raises(TrainingError, match="dual method cannot be used: some labels are unknown"):
        Tagger(method="dual").fit([[["a"], ["b"]]], [["X", None]])
    with pytest.raises(TrainingError, match="sequences have weights"):
        Tagger(method="dual").fit([[["a"], ["b"]]], [["X", "Y"]], weights=[2.0])
    with pytest.raises(TrainingError, match="sequence 2 has labels, or a lack of allowed ones"):
        Tagger().fit([[["a"]], [["a"]]], [["X"], ["Y"]], allowed=[[None], [{"X"}]])
    with pytest.raises(ModelFileError, match="cannot open the model"):
        Tagger().fit([[["a"]]], [["X"]], warm_start="no such file")
    with pytest.raises(DovetailError, match="has not been trained"):
        Tagger().fit([[["a"]]], [["X"]], warm_start=Tagger())


@pytest.mark.parametrize(
    "choices",
    [{"method": "dual", "constraints": "IOBES"}, {"method": "sgd", "constraints": "IOBES"},
     {"method": "perceptron", "constraints": "IOBES"}, {"method": "lbfgs", "constraints": "IOBES"}],
)  # fmt: skip
def test_labels_that_the_constraints_forbid(choices: dict[str, Any]) -> None:
    with pytest.raises(TrainingError, match=r"sequence \d+ has labels.*loosen the constraints"):
        Tagger(**choices).fit(data())


@pytest.mark.parametrize(
    "group",
    [*({"prior": prior} for prior in (0.0, 1e39, 1e-39, np.inf, np.nan)), {"on": "both sides"}],
)
def test_groups_that_cannot_be(group: dict[str, Any]) -> None:
    with pytest.raises(TrainingError, match=r"the group 'x\*'"):
        FeatureGroup("x*", **group)


@pytest.mark.parametrize("method", ["auto", "dual", "sgd", "perceptron"])
def test_values_too_large_for_scores_are_told(method: Any) -> None:
    with pytest.raises(TrainingError, match=r"^sequence [12] has scores beyond .* smaller values"):
        Tagger(method=method).fit([[["a"], {"b": 1e30}], [["b"]]], [["X", "Y"], ["X"]])


# Memory


def test_another_method_is_used_where_memory_is_short(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="dovetail"):
        tagger = Tagger(memory_limit=1000.0).fit(data())
    assert "dual" not in {p.phase for p in tagger.history_}
    assert any("above the memory limit" in record.message for record in caplog.records)
    assert value_of(tagger, 1.0) < optimum(1.0) * (1 + 2e-3)


def test_dry_run_tells_sizes() -> None:
    tagger = Tagger()
    sizes = tagger.dry_run(X, Y)
    trained = Tagger().fit(X, Y)
    assert sizes["n_sequences"] == len(X)
    assert sizes["n_tokens"] == sum(map(len, X))
    assert sizes["n_labels"] == len(trained.labels_)
    assert sizes["n_weights"] == trained.training_["parameters"]
    assert sizes["n_features"] == sizes["n_features_kept"] == trained.training_["features"]
    counts = Counter(feature for sequence in X for token in sequence for feature in token)
    frequent = Tagger(min_count=5, boundaries=False).dry_run(X, Y)
    assert frequent["n_features"] == sizes["n_features"]
    assert frequent["n_features_kept"] == sum(count >= 5 for count in counts.values())
    assert sizes["dual_obstacle"] is None
    assert sizes["memory_bytes"] > sizes["dual_memory_bytes"] > 8 * sizes["n_tokens"]
    limited = Tagger(memory_limit=1.0).dry_run(X, Y)
    assert "above the memory limit" in limited["dual_obstacle"]
    assert limited["memory_bytes"] == sizes["memory_bytes"] - sizes["dual_memory_bytes"]
    with pytest.raises(DovetailError, match="has not been trained"):
        tagger.predict(X)
