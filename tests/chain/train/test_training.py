"""Every method finds the optimum, and the same one every time."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest

from chain.train.trained import (
    X,
    Y,
    accuracy,
    data,
    facts_and_arrays,
    objective_of,
    optimum,
    value_of,
    weights_of,
)
from dovetail import FeatureGroup, Tagger
from dovetail.chain.train.dual import DualAscent, ascend
from dovetail.chain.train.steps import Plan
from dovetail.evaluate import evaluate
from reference.announcements import announcements

STRENGTHS = [0.01, 0.1, 1.0, 10.0]


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
        *product(["dual"], [0.0, 0.5], STRENGTHS),
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
    plan = Plan(c1=0.0, tolerance=1e-4, seed=1, dual_obstacle=None, convex=True)
    steps = ascend(DualAscent(plan, objective_of(c2), accelerated=True))
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
    repeated = Tagger(c2=1.0, tolerance=1e-6, precision="double").fit(
        X[:20] * 2 + X[20:40], Y[:20] * 2 + Y[20:40]
    )
    weighted = Tagger(c2=1.0, tolerance=1e-6, precision="double", method="lbfgs").fit(
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
