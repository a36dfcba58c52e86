"""Sparse message passing and beam search against enumeration and exact inference."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import DataError
from dovetail.grid import Grid
from reference.grid import sequences
from reference.random_grids import forbid, random_grid, small_grids

ALL = 10_000  # more joint states than any small grid has


def tagging(T: int, *sizes: int, certainty: float = 12.0, length: int = 25) -> dict[str, Any]:
    """Scores like those of real taggers: one label is clearly best at most tokens."""
    rng = np.random.default_rng(3)
    gold = [rng.integers(size, size=T) for size in sizes]
    nodes = [1.5 * rng.normal(size=(T, size)) for size in sizes]
    for node, labels in zip(nodes, gold, strict=True):
        node[np.arange(T), labels] += rng.gamma(4, certainty / 4, size=T)
    cotemporal = {
        (i, i + 1): 0.7 * rng.normal(size=(T, a, b)) for i, (a, b) in enumerate(pairwise(sizes))
    }
    transitions = [rng.normal(size=(size, size)) for size in sizes]
    return {
        "nodes": nodes,
        "transitions": transitions,
        "cotemporal": cotemporal,
        "bounds": [*range(0, T, length), T],
    }


@settings(max_examples=150, deadline=None)
@given(small_grids(cyclic=True), st.sampled_from(["sparse", "beam"]))
def test_with_nothing_dropped_all_results_are_exact(scene: dict[str, Any], method: str) -> None:
    grid, truths = Grid(**scene), sequences(**scene)
    best = grid.best(method, epsilon=0, beam=ALL)
    np.testing.assert_allclose(best.scores, [t.scores.max() for t in truths], rtol=1e-9, atol=1e-9)
    found = grid.marginals(method, epsilon=0, beam=ALL)
    assert found.report.kept_mass == found.report.least_kept_mass == 1
    np.testing.assert_allclose(found.log_z, [t.log_z for t in truths], rtol=1e-9, atol=1e-9)

    def agree(mine: Any, theirs: Any) -> None:
        np.testing.assert_allclose(mine, np.concatenate(theirs), atol=1e-8)

    for i, (labels, transitions) in enumerate(zip(found.labels, found.transitions, strict=True)):
        agree(labels, [truth.labels(i) for truth in truths])
        expected = [truth.steps(i, i) for truth in truths]
        agree(
            transitions,
            expected if transitions.ndim == 3 else [sum(e.sum(axis=0) for e in expected)],
        )
    for layers, factor in found.cotemporal.items():
        agree(factor, [truth.labels(*layers) for truth in truths])
    for layers, factor in found.lagged.items():
        agree(factor, [truth.steps(*layers) for truth in truths])
    for layers, factor in found.conditioned.items():
        expected = [truth.given_steps(*layers) for truth in truths]
        each = factor.ndim == expected[0].ndim
        agree(factor, expected if each else [sum(e.sum(axis=0) for e in expected)])


@settings(max_examples=150, deadline=None)
@given(small_grids(cyclic=True), st.sampled_from([1e-4, 1e-2, 0.3]), st.integers(1, 9))
def test_what_limits_cost_is_never_hidden(scene: dict[str, Any], epsilon: float, beam: int) -> None:
    for limits in ({"method": "sparse", "epsilon": epsilon}, {"method": "beam", "beam": beam}):
        best, found = Grid(**scene).best(**limits), Grid(**scene).marginals(**limits)
        for s, truth in enumerate(sequences(**scene)):
            part = slice(scene["bounds"][s], scene["bounds"][s + 1])
            labels = np.array([layer[part] for layer in best.labels])
            number = (truth.labellings == labels).all(axis=(1, 2)).argmax()
            assert truth.scores[number] == pytest.approx(best.scores[s], rel=1e-9, abs=1e-9)
            assert np.isfinite(best.scores[s])
            assert found.log_z[s] <= truth.log_z + 1e-9 * abs(truth.log_z) + 1e-9
        for probabilities in found.labels:
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1e-2, 0.1]), st.sampled_from([1.0, 4.0]))
def test_the_kept_mass_of_a_single_token_is_what_its_states_hold(
    seed: int, epsilon: float, coupling: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 12, size=3)
    scores = {
        "nodes": [2 * rng.normal(size=(1, size)) for size in sizes],
        "transitions": [np.zeros((size, size)) for size in sizes],
        "cotemporal": {
            (a, b): coupling * rng.normal(size=(1, sizes[a], sizes[b]))
            for a, b in ((0, 1), (2, 0), (1, 2))
        },
    }
    grid = Grid(**scores)
    exact, found = grid.marginals("exact"), grid.marginals("sparse", epsilon=epsilon)
    held = float(np.exp(found.log_z - exact.log_z)[0])
    assert held >= 1 - 1.5 * epsilon
    assert found.report.kept_mass == pytest.approx(held, abs=epsilon / 2)
    states = np.sort(grid.joint().ravel())[::-1]
    fewest = 1 + int((states.cumsum() < 1 - epsilon).sum())
    assert found.report.states_kept <= 1.3 * fewest + 2


@pytest.mark.parametrize("threads", [1, 2])
def test_the_least_kept_mass_is_that_of_the_worst_sequence(threads: int) -> None:
    scene = tagging(60, 7, 5, 4, certainty=4.0, length=20)
    limits: Any = {"method": "beam", "beam": 30, "threads": threads}

    def least(bounds: Any) -> float:
        alone = Grid(
            [node[slice(*bounds)] for node in scene["nodes"]],
            scene["transitions"],
            {layers: factor[slice(*bounds)] for layers, factor in scene["cotemporal"].items()},
        )
        return float(alone.marginals(**limits).report.least_kept_mass)

    each = [least(bounds) for bounds in pairwise(scene["bounds"])]
    assert len(set(each)) == 3
    assert Grid(**scene).marginals(**limits).report.least_kept_mass == pytest.approx(min(each))


def test_taggings_are_decoded_as_exactly_with_few_states() -> None:
    grid = Grid(**tagging(1500, 12, 9, 9))
    exact, found = grid.best("exact"), grid.best("sparse", check=True)
    assert 1 <= found.report.states_kept < 60
    assert found.report.least_kept_mass >= 1 - 1.1e-4
    assert np.mean(np.concatenate(exact.labels) != np.concatenate(found.labels)) <= 1e-3
    rough = grid.marginals("sparse", check=True).report.gap
    assert rough.probability < 0.02
    assert rough.log_z < 0.05
    assert grid.marginals("sparse", epsilon=1e-8, check=True).report.gap.probability < 1e-5


def test_the_number_of_threads_changes_nothing() -> None:
    grid = Grid(**tagging(400, 7, 5, 4, length=9))
    one, four = (grid.best("sparse", threads=n) for n in (1, 4))
    assert [a.tolist() for a in one.labels] == [b.tolist() for b in four.labels]
    assert one.report == four.report
    one, four = (grid.marginals("beam", beam=5, threads=n) for n in (1, 4))
    for a, b in zip(
        [*one.labels, *one.transitions], [*four.labels, *four.transitions], strict=True
    ):
        assert np.array_equal(a, b)
    assert one.log_z.tolist() == four.log_z.tolist()


@pytest.mark.parametrize("method", ["sparse", "beam"])
def test_a_dead_end_makes_the_search_wider(method: str) -> None:
    """The likeliest first label forbids all that may follow."""
    node = np.array([[20.0, 0], [0, 0]])
    transition = np.array([[-np.inf, -np.inf], [0, 1]])
    grid = Grid([node, np.zeros((2, 2))], [transition, np.zeros((2, 2))])
    found = grid.best(method, beam=1)
    assert found.labels[0].tolist() == [1, 1]
    assert found.scores[0] == 1
    assert grid.marginals(method, beam=1).labels[0][0] == pytest.approx([0, 1])


def test_a_dead_end_among_more_states_than_can_all_be_kept() -> None:
    """The ten likeliest of the first labels forbid all that may follow; other layers are sure."""
    nodes = [np.zeros((2, 11)), *(np.zeros((2, 9)) for _ in range(5))]
    nodes[0][0, :10] = 5
    for node in nodes[1:]:
        node[:, 0] = 50
    transitions = [np.zeros((node.shape[1],) * 2) for node in nodes]
    transitions[0][:10] = -np.inf
    found = Grid(nodes, transitions).best("beam", beam=1)
    assert [labels[0] for labels in found.labels] == [10, 0, 0, 0, 0, 0]


def test_what_is_not_allowed_is_an_error() -> None:
    scores = {**random_grid(4, 2, 3), "bounds": [0, 2, 4]}
    scores["nodes"][0][3] = -np.inf
    for method in ("sparse", "beam"):
        for ask in (Grid(**scores).best, Grid(**scores).marginals):
            with pytest.raises(
                DataError, match="no combination of labels is allowed in sequence 2"
            ):
                ask(method)


def test_states_beyond_counting() -> None:
    scores = tagging(60, *[60] * 3, certainty=20)
    forbid({**scores, "lagged": {}}, np.random.default_rng(0))
    for limits in ({"method": "sparse"}, {"method": "beam", "beam": 50}):
        found = Grid(**scores).best(**limits)
        assert found.report.n_states == 216_000
        assert np.isfinite(found.scores).all()
    with pytest.raises(DataError, match="63 bits: use method 'loopy'"):
        Grid(**random_grid(2, *[100] * 10)).best("sparse")


def test_a_document_of_a_hundred_thousand_tokens() -> None:
    scores = tagging(100_000, 5, 4, certainty=20, length=100_000)
    found = Grid(**scores).best("sparse")
    assert np.isfinite(found.scores).all()
    start = {
        "nodes": [node[:500] for node in scores["nodes"]],
        "transitions": scores["transitions"],
        "cotemporal": {layers: factor[:500] for layers, factor in scores["cotemporal"].items()},
    }
    exact = Grid(**start).best("exact")
    assert [a[:450].tolist() for a in found.labels] == [b[:450].tolist() for b in exact.labels]


def test_an_empty_sequence() -> None:
    found = Grid(**random_grid(0, 2, 3)).best("sparse")
    assert found.scores.tolist() == [0]
    assert Grid(**random_grid(0, 2, 3)).marginals("beam").log_z.tolist() == [0]


@pytest.mark.parametrize(
    ("setting", "message"),
    [({"epsilon": 1.0}, "epsilon"), ({"epsilon": -0.1}, "epsilon"), ({"beam": 0}, "beam")],
)
def test_settings_without_sense_are_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Grid(**random_grid(2, 2, 2)).best("sparse", **setting)
