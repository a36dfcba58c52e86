"""Grids that do not fit together, and questions that have no answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import DataError
from dovetail.grid import Grid
from reference.random_grids import random_grid


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": []}, "one layer or more"),
        ({"nodes": [], "transitions": [], "cotemporal": {}}, "one layer or more"),
        ({"nodes": [np.zeros(3), np.zeros((3, 3))]}, "a matrix of tokens and labels"),
        (
            {"transitions": [np.zeros((2, 2))] * 2},
            "transitions of layer 1 have the shape 2 x 2 where 3 x 3",
        ),
        (
            {"transitions": [np.zeros((4, 2, 2)), np.zeros((3, 3))]},
            "layer 0 have the shape 4 x 2 x 2",
        ),
        (
            {"cotemporal": {(0, 0): np.zeros((3, 2, 2))}},
            "does not name two or more different layers",
        ),
        (
            {"cotemporal": {(0, 2): np.zeros((3, 2, 2))}},
            "does not name two or more different layers",
        ),
        ({"cotemporal": {(0,): np.zeros((3, 2))}}, "does not name two or more different layers"),
        (
            {"cotemporal": {(0, 1): np.zeros((3, 2, 2))}},
            "factor of layers 0, 1 have the shape 3 x 2 x 2",
        ),
        (
            {"lagged": {(1, 1): np.zeros((3, 3, 3))}},
            "does not name two different layers of the grid's 2",
        ),
        ({"lagged": {(0, 1, 1): np.zeros((3, 2, 3, 3))}}, "does not name two different layers"),
        ({"lagged": {(-1, 0): np.zeros((3, 3, 2))}}, "does not name two different layers"),
        ({"nodes": [[[0.0], [0.0, 1.0]], np.zeros((3, 3))]}, "does not fit together"),
        (
            {"lagged": {(1, 0): np.zeros((3, 2, 3))}},
            "factor of layers 1, 0 have the shape 3 x 2 x 3",
        ),
        ({"nodes": [np.full((3, 2), np.nan), np.zeros((3, 3))]}, "no number below infinity"),
        ({"nodes": [np.full((3, 2), np.inf), np.zeros((3, 3))]}, "no number below infinity"),
        ({"nodes": [np.zeros((3, 2)), np.zeros((4, 3))]}, "labels of layer 1 have the shape 4 x 3"),
        ({"bounds": [0, 2]}, "must rise from 0 to the number of tokens, 3"),
        ({"bounds": [0, 2, 1, 3]}, "must rise from 0"),
        ({"bounds": []}, "must rise from 0"),
    ],
)
def test_scores_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Grid(**{**random_grid(3, 2, 3), **change}).best()


def test_a_state_space_too_large_is_named() -> None:
    large = Grid(**random_grid(1, 100, 100, 100))
    assert large.n_states == 1_000_000
    questions = [lambda: large.best("exact"), large.joint, lambda: large.best_k(2)]
    for ask in questions:
        with pytest.raises(DataError, match=r"100 x 100 x 100 = 1,000,000 joint states.*'sparse'"):
            ask()


def test_a_cycle_of_many_labels_is_refused() -> None:
    lagged = {(0, 1): np.zeros((1, 40, 30)), (1, 0): np.zeros((1, 30, 40))}
    grid = Grid(**random_grid(1, 40, 30), lagged=lagged)
    for ask in (lambda: grid.best("exact"), lambda: grid.best_k(1), grid.joint):
        with pytest.raises(
            DataError, match=r"layers 0, 1 depend on .* 1,200 combinations.*'loopy'"
        ):
            ask()
    assert grid.best().report.method == "sparse"
    assert not grid.best("loopy", check=True).report.gap


def test_layers_given_one_anothers_labels_need_another_method() -> None:
    given = {(0, 1): np.zeros((2, 3, 3)), (1, 0): np.zeros((3, 2, 2))}
    grid = Grid(**random_grid(3, 2, 3), conditioned=given)
    with pytest.raises(DataError, match="given one another's labels: use method 'loopy'"):
        grid.best("sparse")
    assert grid.best().report.method == "exact"


def test_nothing_allowed_is_an_error_that_names_the_sequence() -> None:
    scores = random_grid(4, 2, 2)
    scores["nodes"][0][2] = -np.inf
    several = Grid(**scores, bounds=[0, 2, 4])
    for ask in (several.best, several.marginals, lambda: several.best_k(1, sequence=1)):
        with pytest.raises(DataError, match="no combination of labels is allowed in sequence 2"):
            ask()
    with pytest.raises(DataError, match=r"no combination of labels is allowed$"):
        Grid(**scores).best()


def test_empty_sequences() -> None:
    empty = Grid(**random_grid(0, 2, 3))
    assert empty.best().scores.tolist() == [0]
    assert [len(labels) for labels in empty.best().labels] == [0, 0]
    assert empty.marginals().log_z.tolist() == [0]
    assert empty.best_k(3)[0][1] == 0
    assert empty.span_log_probabilities(0, [(0, 0)], [np.zeros((2, 2))]).tolist() == [0]
    assert Grid(**random_grid(0, 2, 3), bounds=[0]).best().scores.tolist() == []


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda grid: grid.best("magic"), "no method 'magic'; give one of auto, exact"),
        (lambda grid: grid.best(threads=0), "threads must be 1 or more"),
        (lambda grid: grid.best_k(1, sequence=1), "no sequence 1: the grid has 1, numbered from 0"),
        (lambda grid: grid.best_k(0), "k is 0; give a whole number of at least 1"),
        (lambda grid: grid.span_log_probabilities(0, [], [], sequence=-1), "no sequence -1"),
        (lambda grid: grid.clamp(2, [0] * 3), "no layer 2: the grid has 2"),
        (lambda grid: grid.clamp(0, [0]), "1 labels clamp the 3 tokens of layer 0"),
        (
            lambda grid: grid.clamp(0, [0, 2, 1]),
            "token 2 is clamped to label 2, but the layer has labels 0 to 1",
        ),
        (lambda grid: grid.clamp(0, np.array([0, 1, -2])), "token 3 is clamped to label -2"),
        (lambda grid: grid.clamp(0, [0, set(), 1]), "token 2 is clamped to an empty set"),
        (lambda grid: grid.span_log_probabilities(3, [], []), "no layer 3: the grid has 2"),
        (lambda grid: grid.span_log_probabilities(0, [(1, 4)], []), "span 1 from 1 to 4"),
        (lambda grid: grid.span_log_probabilities(0, [(1, 2)], []), "masks has 0 elements"),
    ],
)
def test_questions_without_an_answer(ask: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ask(Grid(**random_grid(3, 2, 3)))
