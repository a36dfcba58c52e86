"""Loopy belief propagation: exact on trees, close where cotemporal are weak."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import DataError
from dovetail.grid import Grid
from reference.grid import sequences
from reference.random_grids import forbid, random_grid, small_grids

PRECISE: dict[str, Any] = {"method": "loopy", "tolerance": 1e-12, "iterations": 500}


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """Layers that meet at one token each: their cotemporal and lagged are zero at all others."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1.0, 5.0, 300.0]))
    T, sizes = draw(st.integers(1, 3)), [2, 3, 2]

    def at_one_token(*shape: int) -> Any:
        score = np.zeros((T, *shape))
        score[rng.integers(T)] = scale * rng.normal(size=shape)
        return score

    cotemporal: dict[tuple[int, ...], Any] = {(1, 0): at_one_token(3, 2)}
    lagged: dict[tuple[int, int], Any] = {}
    conditioned: dict[tuple[int, ...], Any] = {}
    kind = draw(st.sampled_from(["cotemporal", "lagged", "conditioned", "of two", "of three"]))
    if kind == "cotemporal":
        cotemporal[1, 2] = at_one_token(3, 2)
    elif kind == "lagged":
        lagged[2, 1] = at_one_token(2, 3)
    elif kind == "conditioned":
        conditioned[1, 2] = at_one_token(3, 2, 2)
    elif kind == "of two":
        cotemporal = {}
        conditioned[0, 2, 1] = at_one_token(2, 2, 3, 3)
    else:
        cotemporal = {(2, 0, 1): at_one_token(2, 2, 3)}
    scene = {
        "nodes": [scale * rng.normal(size=(T, size)) for size in sizes],
        "transitions": [
            rng.normal(size=(T, size, size) if rng.random() < 0.5 else (size, size))
            for size in sizes
        ],
        "cotemporal": cotemporal,
        "lagged": lagged,
        "conditioned": conditioned,
        "bounds": [0, T],
    }
    if draw(st.booleans()):
        whole = {
            **scene,
            "cotemporal": {},
            "lagged": {},
            "conditioned": {},
        }  # a zero factor must stay one
        forbid(whole, rng)
    return scene


@settings(max_examples=150, deadline=None)
@given(trees(), st.sampled_from([0.0, 0.4]))
def test_trees_are_exact(scene: dict[str, Any], damping: float) -> None:
    [truth] = sequences(**scene)
    found = Grid(**scene).marginals(**PRECISE, damping=damping)
    assert found.report.converged
    assert found.log_z[0] == pytest.approx(truth.log_z, rel=1e-9, abs=1e-7)
    for i, (labels, transitions) in enumerate(zip(found.labels, found.transitions, strict=True)):
        np.testing.assert_allclose(labels, truth.labels(i), atol=1e-7)
        expected = truth.steps(i, i)
        np.testing.assert_allclose(
            transitions, expected if transitions.ndim == 3 else expected.sum(axis=0), atol=1e-7
        )
    for layers, factor in found.cotemporal.items():
        for t in np.flatnonzero(scene["cotemporal"][layers].any(axis=tuple(range(1, factor.ndim)))):
            np.testing.assert_allclose(factor[t], truth.labels(*layers)[t], atol=1e-7)
    for pair, factor in found.lagged.items():
        for t in np.flatnonzero(scene["lagged"][pair].any(axis=(1, 2))):
            np.testing.assert_allclose(factor[t], truth.steps(*pair)[t], atol=1e-7)
    for layers, factor in found.conditioned.items():
        score = scene["conditioned"][layers]
        for t in np.flatnonzero(score.any(axis=tuple(range(1, factor.ndim)))):
            np.testing.assert_allclose(factor[t], truth.given_steps(*layers)[t], atol=1e-7)
    best = Grid(**scene).best(**PRECISE, damping=damping)
    assert best.scores[0] == pytest.approx(truth.scores.max(), rel=1e-9, abs=1e-9)


def test_one_layer_is_a_chain() -> None:
    scores = random_grid(40, 6)
    found, exact = Grid(**scores).marginals("loopy"), Grid(**scores).marginals("exact")
    np.testing.assert_allclose(found.log_z, exact.log_z)
    np.testing.assert_allclose(found.labels[0], exact.labels[0], atol=1e-12)
    np.testing.assert_allclose(found.transitions[0], exact.transitions[0], atol=1e-10)
    assert Grid(**scores).best("loopy").labels[0].tolist() == (
        Grid(**scores).best("exact").labels[0].tolist()
    )


@settings(max_examples=150, deadline=None)
@given(small_grids(cyclic=True, mutual=True))
def test_labels_are_consistent_and_no_layer_alone_can_do_better(scene: dict[str, Any]) -> None:
    grid = Grid(**scene)
    try:
        found = grid.best("loopy")
    except DataError:
        return  # rules can be too hard for it; it says so
    for s, truth in enumerate(sequences(**scene)):
        part = slice(scene["bounds"][s], scene["bounds"][s + 1])
        labels = np.array([layer[part] for layer in found.labels])
        same = truth.labellings == labels
        number = same.all(axis=(1, 2)).argmax()
        assert truth.scores[number] == pytest.approx(found.scores[s], rel=1e-9, abs=1e-9)
        differing = (~same.all(axis=2)).sum(axis=1)
        alone = truth.scores[differing <= 1].max()
        assert found.scores[s] >= alone - 1e-9 * abs(alone) - 1e-9


@settings(max_examples=100, deadline=None)
@given(small_grids(cyclic=True, mutual=True))
def test_beliefs_are_probabilities_whatever_the_scores(scene: dict[str, Any]) -> None:
    found = Grid(**scene).marginals("loopy")
    assert np.isfinite(found.log_z).all()
    first = [t for t in scene["bounds"][:-1] if t < scene["bounds"][-1]]
    for beliefs in found.labels:
        np.testing.assert_allclose(beliefs.sum(axis=1), 1)
        assert (beliefs >= 0).all()
    for factor in found.cotemporal.values():
        np.testing.assert_allclose(factor.sum(axis=tuple(range(1, factor.ndim))), 1)
    for factor in found.lagged.values():
        assert not factor[first].any()
    steps = scene["bounds"][-1] - len({*first})
    for factor in found.conditioned.values():
        assert factor.sum() == pytest.approx(steps)


def test_weak_ties_settle_close_to_the_truth() -> None:
    scores = random_grid(30, 5, 4, 3)
    scores["cotemporal"] = {layers: 0.2 * factor for layers, factor in scores["cotemporal"].items()}
    rng = np.random.default_rng(5)
    scores["lagged"] = {  # round in a circle, which exact inference refuses
        (0, 1): 0.01 * rng.normal(size=(30, 5, 4)),
        (1, 0): 0.01 * rng.normal(size=(30, 4, 5)),
    }
    found = Grid(**scores).marginals("loopy")
    truth = Grid(**scores).marginals("sparse", epsilon=0)
    assert found.report.converged
    assert found.report.change <= 1e-6
    np.testing.assert_allclose(found.log_z, truth.log_z, rtol=2e-3)
    for mine, theirs in zip(found.labels, truth.labels, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=0.02)


def test_the_report_says_when_nothing_has_settled() -> None:
    grid = Grid(**random_grid(20, 4, 4))
    hasty = grid.marginals("loopy", iterations=1, check=True).report
    assert (hasty.iterations, hasty.converged) == (1, False)
    assert hasty.change > 1e-6
    assert hasty.gap is not None


def test_the_number_of_threads_changes_nothing() -> None:
    scores = {**random_grid(60, 4, 3), "bounds": [*range(0, 60, 7), 60]}
    one, four = (Grid(**scores).marginals("loopy", threads=n) for n in (1, 4))
    for a, b in zip(
        [*one.labels, *one.transitions], [*four.labels, *four.transitions], strict=True
    ):
        assert np.array_equal(a, b)
    assert one.log_z.tolist() == four.log_z.tolist()
    assert one.report == four.report


def test_a_grid_far_beyond_exact_inference() -> None:
    scores = random_grid(20, 60, 60, 60)
    found = Grid(**scores).best("loopy")
    assert np.isfinite(found.scores).all()
    assert found.scores[0] >= Grid(**scores).best("beam", beam=20).scores[0] - 20
    assert Grid(**random_grid(3, *[100] * 10)).best("loopy").report.n_states == 100**10


def test_a_long_document_does_not_overflow() -> None:
    found = Grid(**random_grid(20_000, 4, 3)).marginals("loopy", iterations=5)
    assert np.isfinite(found.log_z).all()
    np.testing.assert_allclose(found.labels[1].sum(axis=1), 1)


def test_what_is_not_allowed_is_an_error() -> None:
    scores = {**random_grid(4, 2, 3), "bounds": [0, 2, 4]}
    scores["cotemporal"][0, 1][3] = -np.inf
    for ask in (Grid(**scores).best, Grid(**scores).marginals):
        with pytest.raises(DataError, match="no combination of labels is allowed in sequence 2"):
            ask("loopy")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"damping": 1.0}, "damping"),
        ({"damping": -0.1}, "damping"),
        ({"iterations": 0}, "iterations"),
        ({"tolerance": float("nan")}, "tolerance"),
    ],
)
def test_settings_without_sense_are_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Grid(**random_grid(2, 2, 2)).best("loopy", **setting)


def test_an_empty_sequence() -> None:
    assert Grid(**random_grid(0, 2, 3)).best("loopy").scores.tolist() == [0]
    assert Grid(**random_grid(0, 2, 3)).marginals("loopy").log_z.tolist() == [0]
