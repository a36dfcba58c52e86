"""Exact inference in grids against enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import DataError
from dovetail.grid import Grid
from reference.grid import Enumeration


@st.composite
def grids(draw: st.DrawFn) -> dict[str, Any]:
    """Scores of small random grids, now and then with forbidden labels and large numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layers = draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 3 if layers < 3 else 2)) for _ in range(layers)]
    T = draw(st.integers(1, 4 if layers < 3 else 3))
    scale = draw(st.sampled_from([1.0, 5.0, 300.0]))
    nodes = [scale * rng.normal(size=(T, size)) for size in sizes]
    moves = [rng.normal(size=(size, size)) for size in sizes]
    if draw(st.booleans()):
        for node in nodes:
            forbidden = rng.random(node.shape) < 0.3
            forbidden[np.arange(T), rng.integers(node.shape[1], size=T)] = False
            node[forbidden] = -np.inf
    couplings = {
        (a, b): scale * rng.normal(size=(T, sizes[a], sizes[b]))
        for a in range(layers)
        for b in range(layers)
        if a != b and rng.random() < 0.4
    }
    return {"nodes": nodes, "moves": moves, "couplings": couplings}


@settings(max_examples=150, deadline=None)
@given(grids())
def test_all_results_equal_enumeration(scores: dict[str, Any]) -> None:
    truth, grid = Enumeration(**scores), Grid(**scores)
    labels, best = grid.best()
    assert best == pytest.approx(max(truth.scores.values()), abs=1e-7)
    paths = tuple(tuple(int(y) for y in path) for path in labels)
    assert truth.score(paths) == pytest.approx(best, abs=1e-7)

    found = grid.marginals()
    assert found.log_z == pytest.approx(truth.log_z, abs=1e-7)
    T = len(scores["nodes"][0])
    for i, node in enumerate(scores["nodes"]):
        size = node.shape[1]
        expected = truth.expect(lambda p, i=i, n=size: np.eye(n)[list(p[i])])
        np.testing.assert_allclose(found.labels[i], expected, atol=1e-9)
        moved = truth.expect(
            lambda p, i=i, n=size: sum(
                (
                    np.outer(np.eye(n)[a], np.eye(n)[b])
                    for a, b in zip(p[i], p[i][1:], strict=False)
                ),
                np.zeros((n, n)),
            )
        )
        np.testing.assert_allclose(found.moves[i], moved, atol=1e-9)
    for ((a, b), score), pairs in zip(scores["couplings"].items(), found.pairs, strict=True):
        expected = np.zeros(score.shape)
        for t in range(T):
            expected[t] = truth.expect(
                lambda p, t=t, a=a, b=b, s=score: np.outer(
                    np.eye(s.shape[1])[p[a][t]], np.eye(s.shape[2])[p[b][t]]
                )
            )
        np.testing.assert_allclose(pairs, expected, atol=1e-9)
    joint = grid.joint()
    assert joint.shape == (T, *(node.shape[1] for node in scores["nodes"]))
    np.testing.assert_allclose(joint.reshape(T, -1).sum(axis=1), 1)
    others = tuple(range(2, joint.ndim))
    np.testing.assert_allclose(joint.sum(axis=others), found.labels[0], atol=1e-9)


def random_grid(T: int, *sizes: int, coupled: bool = True) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        "nodes": [rng.normal(size=(T, n)) for n in sizes],
        "moves": [rng.normal(size=(n, n)) for n in sizes],
        "couplings": {
            (i, i + 1): coupled * rng.normal(size=(T, sizes[i], sizes[i + 1]))
            for i in range(len(sizes) - 1)
        },
    }


def test_without_couplings_layers_are_separate_chains() -> None:
    scores = random_grid(40, 4, 5, 3, coupled=False)
    together = Grid(**scores).marginals()
    best, _ = Grid(**scores).best()
    for i in range(3):
        alone = Grid([scores["nodes"][i]], [scores["moves"][i]], {})
        np.testing.assert_allclose(alone.marginals().labels[0], together.labels[i], atol=1e-10)
        assert alone.best()[0][0].tolist() == best[i].tolist()


def test_a_long_document_neither_overflows_nor_takes_memory_for_all_its_messages() -> None:
    scores = random_grid(30_000, 9, 9)
    short = {
        "nodes": [node[:2000] for node in scores["nodes"]],
        "moves": scores["moves"],
        "couplings": {key: score[:2000] for key, score in scores["couplings"].items()},
    }
    labels, score = Grid(**scores).best()
    assert np.isfinite(score)
    assert [path[:1900].tolist() for path in labels] == [
        path[:1900].tolist() for path in Grid(**short).best()[0]
    ]
    tall = random_grid(6_000, 20, 15, 12)  # messages are kept at some tokens only
    found = Grid(**tall).marginals()
    assert np.isfinite(found.log_z)
    for probabilities in found.labels:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": []}, "one layer or more"),
        ({"moves": [np.zeros((2, 2))] * 2}, "scores of moves have another shape"),
        ({"couplings": {(0, 0): np.zeros((3, 2, 2))}}, "between two different layers"),
        ({"couplings": {(0, 1): np.zeros((3, 2, 2))}}, "couplings have another shape"),
        ({"nodes": [np.full((3, 2), np.nan), np.zeros((3, 3))]}, "no number below infinity"),
        ({"nodes": [np.zeros((3, 2)), np.zeros((4, 3))]}, "scores of labels have another shape"),
    ],
)
def test_scores_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Grid(**{**random_grid(3, 2, 3), **change}).best()


def test_a_state_space_too_large_is_named() -> None:
    with pytest.raises(DataError, match="100 x 100 x 100 = 1,000,000 joint states"):
        Grid(**random_grid(1, 100, 100, 100)).best()


def test_nothing_allowed_is_an_error() -> None:
    scores = random_grid(2, 2, 2)
    scores["nodes"][0][1] = -np.inf
    for ask in (Grid(**scores).best, Grid(**scores).marginals):
        with pytest.raises(DataError, match="no combination of labels is allowed"):
            ask()


def test_an_empty_sequence() -> None:
    labels, score = Grid(**random_grid(0, 2, 3)).best()
    assert score == 0
    assert [len(path) for path in labels] == [0, 0]
