"""Penalties that are weak, strong or absent: trainings end, certified or with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chain.train.trained import X, Y, data, objective_of, optimum, value_of, weights_of
from dovetail import Tagger, _native
from dovetail.chain.train.dual import DualAscent, LeftRangeError
from dovetail.chain.train.steps import Plan
from dovetail.errors import TrainingError

SEPARABLE = ([[["a"], ["b"]], [["b"], ["a"], ["b"]]], [["X", "Y"], ["Y", "X", "Y"]])


def total(tagger: Tagger, c1: float, c2: float) -> float:
    """The objective of a trained tagger, with its L1 term, in double precision."""
    objective = objective_of(c2)
    w = weights_of(tagger, objective)
    return objective(w)[0] + c1 * float(np.abs(w).sum())


@pytest.mark.parametrize("c2", [0.1, 0.01, 1e-3])
def test_weak_penalties_end_certified(c2: float) -> None:
    tagger = Tagger(c2=c2, tolerance=1e-3).fit(data())
    assert tagger.stopped_.startswith("certified")
    assert optimum(c2) * (1 - 1e-6) <= value_of(tagger, c2) <= optimum(c2) * (1 + 1e-3)


@pytest.mark.parametrize(("c1", "c2"), [(0.1, 0.1), (0.5, 0.05), (0.1, 0.01), (3.0, 1.0)])
@pytest.mark.parametrize("method", ["auto", "dual"])
def test_l1_and_l2_together_end_certified(method: Any, c1: float, c2: float) -> None:
    if method == "dual" and c2 < 0.1:
        pytest.skip("slow: auto takes turns with another method")
    exact = Tagger(c1=c1, c2=c2, method="lbfgs", precision="double", tolerance=1e-6).fit(data())
    best = total(exact, c1, c2)
    tagger = Tagger(c1=c1, c2=c2, method=method, tolerance=1e-3).fit(data())
    assert tagger.stopped_.startswith("certified")
    assert best * (1 - 1e-5) <= total(tagger, c1, c2) <= best * (1 + 1e-3)
    assert tagger.n_weights_ < 0.9 * len(weights_of(tagger, objective_of(c2)))


@pytest.mark.parametrize(("c1", "c2"), [(0.5, 1e-3), (0.1, 1e-6)])
def test_l1_with_hardly_any_l2_ends(c1: float, c2: float) -> None:
    tagger = Tagger(c1=c1, c2=c2, max_iterations=300).fit(data())
    exact = Tagger(c1=c1, c2=c2, method="lbfgs", precision="double", max_iterations=300).fit(data())
    assert total(tagger, c1, c2) <= total(exact, c1, c2) * (1 + 1e-2)


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.1), (0.5, 0.1)])
def test_weights_say_where_the_dual_starts_again(c1: float, c2: float) -> None:
    """The dual value is that of the tangent of the loss at ``w``."""
    objective = objective_of(c2)
    w = weights_of(Tagger(c1=c1, c2=c2, tolerance=1e-2).fit(data()), objective)
    value, gradient = objective(w)
    slope = gradient - 2 * c2 * w
    intercept = value - c2 * (w @ w) - slope @ w
    dual = _native.Dual(objective.problem, c1, c2, True)
    restarted = dual.restart(w)
    exceeding = np.maximum(np.abs(slope) - c1, 0.0)
    assert restarted == pytest.approx(intercept - exceeding @ exceeding / (4 * c2), rel=1e-4)
    assert restarted <= value + c1 * np.abs(w).sum()
    assert max(dual.epoch(k) for k in range(5)) > restarted


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.01), (0.1, 0.1), (0.5, 0.05)])
def test_the_dual_value_stays_below_the_minimum_and_its_weights_come_near(
    c1: float, c2: float
) -> None:
    """Also where momentum carries weights beyond what one epoch found."""
    exact = Tagger(c1=c1, c2=c2, method="lbfgs", precision="double", tolerance=1e-6).fit(data())
    best = total(exact, c1, c2)
    objective = objective_of(c2)
    dual = _native.Dual(objective.problem, c1, c2, True)
    values = [dual.epoch(k) for k in range(60)]
    assert max(values) <= best * (1 + 1e-5)
    assert values[-1] >= best * (1 - 0.02)
    w = np.empty(objective.size)
    dual.weights(w)
    assert objective(w)[0] + c1 * np.abs(w).sum() <= best * (1 + 0.02)


def test_an_earlier_model_is_certified_by_the_dual() -> None:
    first = Tagger(c2=0.01).fit(data())
    again = Tagger(c2=0.01).fit(data(), warm_start=first)
    assert again.stopped_.startswith("certified")
    assert len(again.history_) < len(first.history_)
    assert value_of(again, 0.01) <= optimum(0.01) * (1 + 1e-3)


def test_an_epoch_that_goes_on_and_on_is_slow() -> None:
    plan = Plan(c1=0.0, tolerance=1e-3, seed=0, dual_obstacle=None, convex=True)
    ascent = DualAscent(plan, objective_of(1.0), accelerated=True)
    ascent.values = [100.0 - 5.0 * 0.99**k for k in range(10)]
    assert ascent.slow
    ascent.values = [100.0 - 5.0 * 0.3**k for k in range(10)]
    assert not ascent.slow
    assert ascent.nearly_done


@pytest.mark.parametrize("method", ["auto", "lbfgs"])
@pytest.mark.parametrize("c1", [0.0, 1e-3])
def test_separable_data_without_an_l2_penalty(method: Any, c1: float) -> None:
    tagger = Tagger(c1=c1, c2=0.0, method=method).fit(*SEPARABLE)
    assert tagger.stopped_
    assert tagger.predict(SEPARABLE[0]) == SEPARABLE[1]


@pytest.mark.parametrize("c2", [1e-2, 1e-4, 1e-6, 1e-9])
def test_separable_data_with_hardly_a_penalty(c2: float) -> None:
    tagger = Tagger(c2=c2).fit(*SEPARABLE)
    assert tagger.stopped_
    assert tagger.predict(SEPARABLE[0]) == SEPARABLE[1]
    assert np.isfinite([w for _, _, w in tagger.top_weights(10**6)]).all()


@pytest.mark.parametrize("method", ["auto", "lbfgs", "dual"])
def test_an_l1_penalty_that_leaves_nothing(method: Any) -> None:
    tagger = Tagger(c1=1e6, c2=0.1, method=method).fit(data())
    assert tagger.n_weights_ == 0
    assert "certified" in tagger.stopped_ or "zero" in tagger.stopped_


@pytest.mark.parametrize("c1", [0.0, 0.1])
def test_a_feature_that_never_varies(c1: float) -> None:
    constant = [[[*token, "always"] for token in row] for row in X]
    tagger = Tagger(c1=c1, c2=0.01).fit(constant, Y)
    assert tagger.stopped_.startswith("certified")


def test_one_label_is_nothing_to_decide() -> None:
    tagger = Tagger(c2=0.01).fit([[["a"], ["b"]]], [["X", "X"]])
    assert tagger.predict([[["b"]]]) == [["X"]]


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.03), (0.1, 0.01)])
def test_the_dual_method_alone_ends_certified(c1: float, c2: float) -> None:
    """It has no other method to go on with, so it must not overshoot."""
    rng = np.random.default_rng(3)
    rows = [[f"w={w}", f"p={p}"] for w, p in zip(*rng.integers(0, 15, (2, 60)), strict=True)]
    labels = ["ABC"[(int(w[2:]) + (rng.random() < 0.2)) % 3] for w, _ in rows]
    x, y = [rows[k : k + 3] for k in range(0, 60, 3)], [labels[k : k + 3] for k in range(0, 60, 3)]
    tagger = Tagger(method="dual", c1=c1, c2=c2, tolerance=1e-3).fit(x, y)
    assert tagger.stopped_.startswith("certified")


def test_a_dual_value_beyond_numbers_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = value_of(Tagger(c2=0.1).fit(data()), 0.1)
    run = DualAscent.run_epoch

    def overflow(self: DualAscent) -> float:
        if len(self.values) > 2:
            raise LeftRangeError
        return run(self)

    monkeypatch.setattr(DualAscent, "run_epoch", overflow)
    tagger = Tagger(c2=0.1, tolerance=1e-3).fit(data())
    assert value_of(tagger, 0.1) == pytest.approx(exact, rel=2e-3)
    with pytest.raises(TrainingError, match="left the range of numbers"):
        Tagger(c2=0.1, method="dual").fit(data())


def test_a_dual_that_leaves_the_range_of_numbers_does_not_end_a_warm_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = Tagger(c2=0.1, max_iterations=2).fit(data())

    def leave(_: DualAscent) -> float:
        raise LeftRangeError

    def lost(ascent: DualAscent) -> np.ndarray:
        return np.full(ascent.objective.size, np.nan)

    monkeypatch.setattr(DualAscent, "run_epoch", leave)
    monkeypatch.setattr(DualAscent, "weights", lost)
    tagger = Tagger(c2=0.1, tolerance=1e-3).fit(data(), warm_start=first)
    assert value_of(tagger, 0.1) <= optimum(0.1) * (1 + 1e-2)
