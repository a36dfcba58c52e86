"""Exact inference in grids against enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.grid import Grid
from reference.grid import sequences
from reference.random_grids import forbid, random_grid, small_grids

EVERY_GRID = st.one_of(
    small_grids(), small_grids(cyclic=True), small_grids(cyclic=True, mutual=True)
)


@settings(max_examples=200, deadline=None)
@given(EVERY_GRID)
def test_the_best_labels_equal_those_of_enumeration(scene: dict[str, Any]) -> None:
    found = Grid(**scene).best("exact")
    for s, truth in enumerate(sequences(**scene)):
        assert found.scores[s] == pytest.approx(truth.scores.max(), abs=1e-9, rel=1e-9)
        part = slice(scene["bounds"][s], scene["bounds"][s + 1])
        labels = np.array([layer[part] for layer in found.labels])
        number = (truth.labellings == labels).all(axis=(1, 2)).argmax()
        assert (truth.labellings[number] == labels).all()
        assert truth.scores[number] == pytest.approx(found.scores[s], abs=1e-9, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(EVERY_GRID)
def test_all_expectations_equal_those_of_enumeration(scene: dict[str, Any]) -> None:
    found, truths = Grid(**scene).marginals("exact"), sequences(**scene)
    np.testing.assert_allclose(found.log_z, [t.log_z for t in truths], atol=1e-9, rtol=1e-9)

    def agree(mine: Any, theirs: Any) -> None:
        np.testing.assert_allclose(mine, theirs, atol=1e-9)

    for i, (labels, transitions) in enumerate(zip(found.labels, found.transitions, strict=True)):
        agree(labels, np.concatenate([truth.labels(i) for truth in truths]))
        expected = np.concatenate([truth.steps(i, i) for truth in truths])
        agree(transitions, expected.sum(axis=0) if transitions.ndim == 2 else expected)
    assert found.cotemporal.keys() == scene["cotemporal"].keys()
    for layers, factor in found.cotemporal.items():
        agree(factor, np.concatenate([truth.labels(*layers) for truth in truths]))
    assert found.lagged.keys() == scene["lagged"].keys()
    for layers, factor in found.lagged.items():
        agree(factor, np.concatenate([truth.steps(*layers) for truth in truths]))
    assert found.conditioned.keys() == scene["conditioned"].keys()
    for layers, factor in found.conditioned.items():
        expected = np.concatenate([truth.given_steps(*layers) for truth in truths])
        agree(factor, expected if factor.ndim == expected.ndim else expected.sum(axis=0))
    every = range(len(scene["nodes"]))
    agree(Grid(**scene).joint(), np.concatenate([truth.labels(*every) for truth in truths]))


@settings(max_examples=100, deadline=None)
@given(EVERY_GRID, st.sampled_from([1, 2, 7, 10_000]))
def test_the_k_best_are_the_first_k_of_all(scene: dict[str, Any], k: int) -> None:
    grid = Grid(**scene)
    for s, truth in enumerate(sequences(**scene)):
        found = grid.best_k(k, sequence=s)
        allowed = np.sort(truth.scores[np.isfinite(truth.scores)])[::-1]
        np.testing.assert_allclose([score for _, score in found], allowed[:k], rtol=1e-9, atol=1e-8)
        assert len({tuple(map(tuple, labels)) for labels, _ in found}) == len(found)
        known = {
            tuple(map(tuple, paths)): x
            for paths, x in zip(truth.labellings.tolist(), truth.scores, strict=True)
        }
        for labels, score in found:
            assert known[tuple(map(tuple, np.array(labels).tolist()))] == pytest.approx(
                score, abs=1e-8, rel=1e-9
            )


@settings(max_examples=150, deadline=None)
@given(EVERY_GRID, st.randoms(use_true_random=False))
def test_probabilities_of_spans_equal_enumeration(scene: dict[str, Any], random: Any) -> None:
    grid = Grid(**scene)
    for s, truth in enumerate(sequences(**scene)):
        layer = random.randrange(len(truth.sizes))
        spans = [sorted(random.choices(range(truth.T + 1), k=2)) for _ in range(4)]
        masks = [
            np.array(
                [
                    [random.random() < 0.7 for _ in range(truth.sizes[layer])]
                    for _ in range(end - begin + 2)
                ]
            )
            for begin, end in spans
        ]
        found = grid.span_log_probabilities(layer, spans, masks, sequence=s)
        expected = [
            truth.within(layer, *span, mask) for span, mask in zip(spans, masks, strict=True)
        ]
        np.testing.assert_allclose(np.exp(found), expected, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(EVERY_GRID, st.randoms(use_true_random=False))
def test_clamping_is_forbidding_other_labels(scene: dict[str, Any], random: Any) -> None:
    layer = random.randrange(len(scene["nodes"]))
    best, size = Grid(**scene).best("exact").labels[layer], scene["nodes"][layer].shape[1]
    known = [
        random.choice([None, -1, int(y), {int(y)}, {int(y), random.randrange(size)}]) for y in best
    ]
    clamped = Grid(**scene).clamp(layer, known)
    for t, labels in enumerate(known):
        if labels not in (None, -1):
            others = set(range(size)) - (labels if isinstance(labels, set) else {labels})
            scene["nodes"][layer][t, list(others)] = -np.inf
    np.testing.assert_allclose(
        clamped.marginals("exact").log_z,
        [truth.log_z for truth in sequences(**scene)],
        rtol=1e-9,
        atol=1e-9,
    )


def test_layers_of_unequal_sizes_in_any_order() -> None:
    """Sizes above and below a vector, so that the innermost layer is now one, now another."""
    for sizes in [(9, 3), (3, 9), (17, 2), (8, 5), (2, 8, 3)]:
        scene = {**random_grid(2, *sizes), "lagged": {}, "bounds": [0, 2]}
        rng = np.random.default_rng(2)
        for a, b in [(1, 0), (len(sizes) - 1, 0)]:
            scene["lagged"][a, b] = rng.normal(size=(2, sizes[a], sizes[b]))
        forbid(scene, rng)
        (truth,) = sequences(**scene)
        found = Grid(**scene).marginals("exact")
        assert found.log_z[0] == pytest.approx(truth.log_z)
        for i in range(len(sizes)):
            np.testing.assert_allclose(found.labels[i], truth.labels(i), atol=1e-12)
            np.testing.assert_allclose(
                found.transitions[i], truth.steps(i, i).sum(axis=0), atol=1e-12
            )
        for layers, factor in found.lagged.items():
            np.testing.assert_allclose(factor, truth.steps(*layers), atol=1e-12)
        assert Grid(**scene).best("exact").scores[0] == pytest.approx(truth.scores.max())


def test_backward_messages_that_leave_the_range_are_noticed_too() -> None:
    """From label 1 there is no way back to label 0, which is better all the time: forward the two
    stay close together, backward they do not."""
    T = 120
    node = np.zeros((T, 2))
    node[:, 0] = 10.0
    transition = np.array([[0.0, 0.0], [-np.inf, 0.0]])
    weights = np.exp(10.0 * (np.arange(T + 1) - T))  # of staying for so many tokens
    p = weights / weights.sum()
    stays = p @ np.maximum(np.arange(T + 1) - 1, 0)
    leaves = p[1:T].sum()
    expected = [[stays, leaves], [0.0, T - 1 - stays - leaves]]
    once = Grid([node], [transition]).marginals("exact")
    each = Grid([node], [np.tile(transition, (T, 1, 1))]).marginals("exact")
    np.testing.assert_allclose(once.transitions[0], expected, atol=1e-9)
    np.testing.assert_allclose(each.transitions[0].sum(axis=0), expected, atol=1e-9)
    assert once.log_z[0] == pytest.approx(10.0 * T + np.log(weights.sum()))


def test_numbers_far_apart_are_computed_in_logarithms() -> None:
    """A path that falls far behind for long and wins in the end must not have vanished."""
    T = 200
    node = np.zeros((T, 2))
    node[:, 0] = 10.0
    node[-1, 0] = -10.0 * T
    stay = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    found = Grid([node], [stay]).marginals("exact")
    assert found.log_z[0] == pytest.approx(np.logaddexp(0.0, 10.0 * (T - 1) - 10.0 * T))
    assert found.labels[0][5, 0] == pytest.approx(1 / (1 + np.exp(10.0)))
    assert Grid([node], [stay]).best("exact").labels[0].tolist() == [1] * T
    inside = np.array([[True, True], [False, True], [True, True]])
    (outer,) = Grid([node], [stay]).span_log_probabilities(0, [(7, 8)], [inside])
    assert outer == pytest.approx(np.log(1 - found.labels[0][5, 0]))


def test_a_cycle_without_sequences_has_empty_results() -> None:
    cycle = {(0, 1): np.zeros((0, 2, 3)), (1, 0): np.zeros((0, 3, 2))}
    empty = Grid(**random_grid(0, 2, 3), lagged=cycle, bounds=[0])
    assert [labels.shape for labels in empty.best("exact").labels] == [(0,), (0,)]
    found = empty.marginals("exact")
    assert found.log_z.shape == (0,)
    assert [labels.shape for labels in found.labels] == [(0, 2), (0, 3)]
    assert found.lagged[0, 1].shape == (0, 2, 3)
    assert empty.joint().shape == (0, 2, 3)
