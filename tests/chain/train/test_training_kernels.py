"""Kernels of training: what they refuse, and sums that stay exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dovetail import Dataset, Tagger, _native
from dovetail.chain.train.fitting import Fitting
from reference.shuffle import shuffled


def problem_of(data: Dataset, **choices: Any) -> _native.Problem:
    return Fitting(Tagger(c2=1.0, **choices), data).problem


PROBLEM = problem_of(Dataset.from_lists([[["a"], ["b"]]], [["X", "Y"]]))
SIZE = PROBLEM.n_parameters
WHOLE = np.zeros(SIZE)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("w", lambda bad: _native.Dual(PROBLEM, 0.0, 1.0, True).weights(bad)),
        ("w", lambda bad: _native.Dual(PROBLEM, 0.0, 1.0, True).restart(bad)),
        ("w", lambda bad: _native.Stochastic(PROBLEM, 1.0, bad)),
        ("w", lambda bad: _native.Stochastic(PROBLEM, 1.0, WHOLE).weights(bad)),
        ("w", lambda bad: _native.Perceptron(PROBLEM, bad)),
        ("w", lambda bad: _native.Perceptron(PROBLEM, WHOLE).average(bad)),
        ("s", lambda bad: _native.LbfgsHistory(SIZE, 8).push(bad, WHOLE)),
        ("y", lambda bad: _native.LbfgsHistory(SIZE, 8).push(WHOLE, bad)),
        ("g", lambda bad: _native.LbfgsHistory(SIZE, 8).direction(bad, WHOLE, WHOLE.copy())),
        (
            "inverse_diagonal",
            lambda bad: _native.LbfgsHistory(SIZE, 8).direction(WHOLE, bad, WHOLE),
        ),
        ("out", lambda bad: _native.LbfgsHistory(SIZE, 8).direction(WHOLE, WHOLE, bad)),
        ("w", lambda bad: _native.ObjectiveSingle(PROBLEM).evaluate(bad, WHOLE, 1.0, 1)),
        ("g", lambda bad: _native.ObjectiveDouble(PROBLEM).evaluate(WHOLE, bad, 1.0, 1)),
        ("h", lambda bad: _native.ObjectiveSingle(PROBLEM).curvature(WHOLE, bad, 1)),
        ("w", lambda bad: PROBLEM.export(bad)),
    ],
)
@pytest.mark.parametrize("size", [1, SIZE - 1, SIZE + 1])
def test_arrays_of_a_wrong_size(name: str, call: Callable[[Any], Any], size: int) -> None:
    message = f"^{name} has {size} elements where {SIZE} were expected$"
    with pytest.raises(ValueError, match=message):
        call(np.zeros(size))


def test_averages_of_the_perceptron_stay_exact() -> None:
    """Labels at random, and a value of which single precision could not hold the sums over time."""
    value, n, epochs = 1001.0, 1000, 300
    gold = np.random.default_rng(0).integers(0, 2, n).tolist()
    gold[0] = 0
    data = Dataset.from_lists([[{"a": value}]] * n, [["XY"[y]] for y in gold])
    problem = problem_of(data, method="perceptron", boundaries=False)
    learner = _native.Perceptron(problem, np.zeros(problem.n_parameters))
    weights, timed, clock = [0.0, 0.0], [0.0, 0.0], 1
    for epoch in range(epochs):
        learner.epoch(epoch)
        for s in shuffled(n, epoch):
            best = int(weights[1] > weights[0])
            for label, sign in ((gold[s], 1), (best, -1)) if best != gold[s] else ():
                weights[label] += sign * value
                timed[label] += sign * value * clock
            clock += 1
    found = np.empty(problem.n_parameters)
    learner.average(found)
    labels = problem.parameters()[2].tolist()
    expected = [weights[label] - timed[label] / clock for label in labels]
    assert found.tolist() == pytest.approx(expected, rel=1e-12)
