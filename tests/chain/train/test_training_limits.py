"""What cannot be trained, and what there is no memory for."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import numpy as np
import pytest

from chain.train.trained import (
    X,
    Y,
    data,
    optimum,
    value_of,
)
from dovetail import Constraints, FeatureGroup, Tagger
from dovetail.errors import DataError, DovetailError, ModelFileError, TrainingError


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"c2": -1.0}, "c2 is -1.0; give auto or a number of at least 0"),
        ({"c1": float("nan")}, "c1 is nan; give a number of at least 0"),
        ({"c2": float("inf")}, "c2 is inf"),
        ({"tolerance": 0.0}, "tolerance is 0.0; give a number above 0"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"method": "newton"}, "there is no method 'newton'; choose from auto, lbfgs"),
        ({"method": "sgd", "c1": 1.0}, "the method 'sgd' has no L1 penalty"),
        ({"method": "perceptron", "c1": 1.0}, "the method 'perceptron' has no L1 penalty"),
        ({"method": "dual", "c2": 0.0}, "the dual method cannot be used: it needs an L2 penalty"),
        ({"method": "dual", "memory_limit": 1.0}, "the dual method cannot be used: it would take"),
        ({"method": "dual", "label_weights": {"O": 2.0}}, "the method 'dual' knows no weights"),
        ({"method": "dual", "groups": [FeatureGroup("*", on="both")]}, "features weigh on trans"),
        ({"label_weights": {"Q": 1.0}}, "label_weights names 'Q', which the data does not have"),
        ({"label_weights": {"O": 0.0}}, "label_weights has 0.0 for 'O'; give a finite number"),
        ({"label_weights": {"O": "2"}}, "label_weights has '2' for 'O'; give a finite number"),
        ({"c2": "0.1"}, "c2 is '0.1', of the type str; give a number or auto"),
        ({"c2": None}, "c2 is None, of the type NoneType; give a number or auto"),
        ({"tolerance": "0.1"}, "tolerance is '0.1', of the type str; give a number"),
        ({"max_iterations": 2.5}, "max_iterations is 2.5, of the type float; give a whole number"),
        ({"all_pairs": "no"}, "all_pairs is 'no', of the type str; give True or False"),
        ({"constraints": "IOBES"}, "sequence 1 has labels"),
        ({"constraints": Constraints(follow={"Q": {"O"}})}, "the constraints name the label 'Q'"),
        ({"constraints": Constraints(start={"I-DATE"})}, "sequence 1 has labels"),
        ({"constraints": Constraints(end={"B-DATE"})}, "sequence 1 has labels"),
    ],
)
def test_settings_that_cannot_be(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        Tagger(**choices).fit(data())


@pytest.mark.parametrize("label", [1, np.int64(1), 2.5])
def test_labels_that_are_numbers(label: Any) -> None:
    kind = type(label).__name__
    words = f"sequence 1: token 2 has a label of type {kind}; give a string, None, or a set"
    with pytest.raises(DataError, match=words):
        Tagger().fit([[["a"], ["b"]]], [["A", label]])
    with pytest.raises(DataError, match="sequence 1: has int for its labels; give a list"):
        Tagger().fit([[["a"], ["b"]]], [1])  # type: ignore[list-item]


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
    with pytest.raises(TrainingError, match="'perceptron' needs every label"):
        Tagger(method="perceptron").fit([[["a"], ["b"]]], [["X", None]])
    with pytest.raises(TrainingError, match="'dual' needs every label; use auto"):
        Tagger(method="dual").fit([[["a"], ["b"]]], [["X", None]])
    with pytest.raises(TrainingError, match="'dual' knows no weights of sequences"):
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
        tagger = Tagger(c2=1.0, memory_limit=1000.0).fit(data())
    assert "dual" not in {p.phase for p in tagger.history_}
    assert any("above the memory limit" in record.message for record in caplog.records)
    assert value_of(tagger, 1.0) < optimum(1.0) * (1 + 2e-3)


def test_many_labels_in_short_sequences() -> None:
    """Their transitions would take several times the memory of their tokens."""
    labels, rng = 60, np.random.default_rng(3)
    words = [rng.integers(0, 300, 4).tolist() for _ in range(2500)]
    sequences = [[[f"w={word}"] for word in row] for row in words]
    answers = [[f"L{(word + rng.integers(0, 2)) % labels}" for word in row] for row in words]
    sizes = Tagger(c2=1.0).dry_run(sequences, answers)
    nodes = 8 * sizes["n_tokens"] * 64
    assert nodes < sizes["dual_memory_bytes"] < 1.5 * nodes
    dual = Tagger(c2=1.0, method="dual", tolerance=1e-4).fit(sequences, answers)
    assert dual.stopped_.startswith("certified")
    bfgs = Tagger(c2=1.0, method="lbfgs", tolerance=1e-4).fit(sequences, answers)
    assert dual.history_[-1].objective == pytest.approx(bfgs.history_[-1].objective, rel=2e-4)


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
