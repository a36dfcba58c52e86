"""Weights and recalibration of pools, fitted on text that the members have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dovetail import Corpus, DataError, Pipeline, Tagger, Template, _native, column
from dovetail.base.potentials import Potentials
from dovetail.grid import Grid
from dovetail.pipeline.layers.recalibrated import Correction, Recalibrated
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.train.auto.pool_fitting import FittedPool, PoolPart, _Objective, fit_pool
from dovetail.pipeline.train.held_out import HeldOut
from pipeline.conftest import random_corpus


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    template = Template(column("word").window(1))
    return Tagger(features=template, c2=3.0).fit(random_corpus(20), label="up")


def corrected(texts: list[HeldOut], strength: float, labels: tuple[str, ...]) -> Correction:
    parts = prepare([[text] for text in texts], labels)
    return fit_pool(parts, [1.0], labels, strength=strength, fixed=True).correction


def prepare(parts: list[list[HeldOut]], labels: tuple[str, ...]) -> list[PoolPart]:
    found = [PoolPart.of(members, labels) for members in parts]
    return [part for part in found if part is not None]


def test_a_correction_makes_expected_counts_right(tagger: Tagger) -> None:
    """At the optimum of an almost unpenalised fit, labels and transitions are expected as often as
    they are seen."""
    corpus = random_corpus(60, seed=5)
    labels = tuple(tagger.labels_)
    layer = TaggerLayer(tagger)
    made = layer.potentials(corpus, {})
    fix = corrected([HeldOut(corpus, "up", made)], 1e-4, labels)
    found = Pipeline({"up": Recalibrated(layer, fix)}).tag(corpus)
    assert len(found) == 60
    own = fix.apply(made)
    expected = Grid([own.node], [own.transitions], bounds=corpus.bounds).marginals()
    values = corpus.column("up").values()
    counts = [values.count(label) for label in labels]
    np.testing.assert_allclose(expected.labels[0].sum(axis=0), counts, atol=0.2)


def test_a_strong_penalty_leaves_scores_alone(tagger: Tagger) -> None:
    corpus = random_corpus(30, seed=5)
    made = TaggerLayer(tagger).potentials(corpus, {})
    fix = corrected([HeldOut(corpus, "up", made)], 1e9, tuple(tagger.labels_))
    assert np.abs(fix.bias).max() < 1e-6
    assert np.abs(fix.transitions).max() < 1e-6


def test_a_bias_is_repaired_and_what_is_right_spared(tagger: Tagger) -> None:
    labels = tuple(tagger.labels_)
    right = []
    for seed in range(3):
        corpus = random_corpus(10, seed=seed)
        codes = [labels.index(str(y)) for y in corpus.column("up").values()]
        node = 9.0 * np.eye(len(labels))[codes]
        right.append(HeldOut(corpus, "up", Potentials(labels, node, np.zeros((2, 2)))))
    more = np.array([12.0, 0])
    off = [replace(p, scores=replace(p.scores, node=p.scores.node + more)) for p in right]
    for texts in (right, off):
        pool = fit_pool(prepare([[text] for text in texts], labels), [1.0], labels, strength=0.1)
        for part in texts:
            own = replace(part, scores=pool.apply([part.scores]))
            found = Pipeline({"up": own}, decode="cascade").predict(part.corpus)
            assert found["up"] == part.corpus.lists("up")


def test_the_gradient_is_that_of_the_objective(tagger: Tagger) -> None:
    """Two members, one of which has transitions of its own at each token, and a label that is
    forbidden somewhere."""
    corpus = random_corpus(6, seed=3)
    labels = tuple(tagger.labels_)
    rng = np.random.default_rng(0)
    gold = [labels.index(str(y)) for y in corpus.column("up").values()]
    node = rng.normal(size=(corpus.n_tokens, 2))
    node[1, 1 - gold[1]] = -np.inf
    members = [
        HeldOut(corpus, "up", Potentials(labels, node, rng.normal(size=(2, 2)))),
        HeldOut(
            corpus,
            "up",
            Potentials(labels, rng.normal(size=node.shape), rng.normal(size=(len(node), 2, 2))),
        ),
    ]
    part = PoolPart.of(members, labels)
    assert part is not None
    objective = _Objective([part], np.array([0.4, 0.3]), 2, 0.7, False, 1)
    x = rng.normal(size=objective.size) * 0.3
    _, gradient = objective(x)
    for k in range(objective.size):
        step = np.zeros(objective.size)
        step[k] = 1e-6
        slope = (objective(x + step)[0] - objective(x - step)[0]) / 2e-6
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("spread", [1.0, 300.0])
@pytest.mark.parametrize("forbids", ["nothing", "transitions", "transitions into tokens", "ends"])
@pytest.mark.parametrize("threads", [1, 2])
def test_expectations_are_those_of_a_grid(spread: float, forbids: str, threads: int) -> None:
    """Of the pooled scores, whatever is forbidden, and also where only logarithms are in range."""
    rng = np.random.default_rng(1)
    n, bounds = 3, np.array([0, 1, 1, 5, 12])
    nodes = [rng.normal(size=(12, n)) * spread for _ in range(2)]
    betweens = [rng.normal(size=(n, n)), rng.normal(size=(12, n, n))]
    forbidden_node, forbidden = np.zeros((12, n)), np.zeros((n, n))
    if forbids == "transitions":
        forbidden[0, 2] = -np.inf
    elif forbids == "transitions into tokens":
        forbidden = np.zeros((12, n, n))
        forbidden[7, 1, :2] = -np.inf
    elif forbids == "ends":
        forbidden_node[[0, 4], 1] = -np.inf
    part = _native.PoolPart(
        n, bounds, np.isfinite(forbidden_node).astype(np.uint8).ravel(), forbidden.ravel()
    )
    for node, between in zip(nodes, betweens, strict=True):
        part.add(node.ravel(), between.ravel())
    weights, bias, correction = np.array([0.6, 0.3]), rng.normal(size=n), rng.normal(size=(n, n))
    log_z, members, labels, transitions = _native.expect_pool(
        [part, part], weights, bias, correction.ravel(), threads
    )
    node = 0.6 * nodes[0] + 0.3 * nodes[1] + bias + forbidden_node
    between = 0.6 * betweens[0] + 0.3 * betweens[1] + correction + forbidden
    exact = Grid([node], [between], bounds=bounds).marginals("exact")
    inside = np.ones(12, bool)
    inside[[0, 1, 5]] = False  # what leads into first tokens does not count
    expected = [
        (exact.labels[0] * own).sum() + (exact.transitions[0][inside] * into[inside]).sum()
        for own, into in zip(nodes, np.broadcast_arrays(betweens[0], betweens[1]), strict=True)
    ]
    assert log_z == pytest.approx(2 * exact.log_z.sum(), rel=1e-12)
    np.testing.assert_allclose(members, 2 * np.array(expected), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(labels, 2 * exact.labels[0].sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(
        transitions.reshape(n, n), 2 * exact.transitions[0][inside].sum(axis=0), atol=1e-9
    )


def test_weights_tell_good_members_from_bad_ones(tagger: Tagger) -> None:
    labels = tuple(tagger.labels_)
    corpus = random_corpus(40, seed=1)
    codes = [labels.index(str(y)) for y in corpus.column("up").values()]
    node = 3.0 * np.eye(2)[codes]
    flat = np.zeros((2, 2))
    good = HeldOut(corpus, "up", Potentials(labels, node, flat))
    bad = HeldOut(corpus, "up", Potentials(labels, -node, flat))
    pool = fit_pool(prepare([[good, bad]], labels), [0.4, 0.4], labels)
    assert pool.weights[0] > 3 * pool.weights[1] > 0


def test_bad_input_is_refused(tagger: Tagger) -> None:
    corpus = Corpus.from_lists({"word": [["a"]], "up": [["Q"]]})
    made = TaggerLayer(tagger).potentials(corpus, {})
    labels = tuple(tagger.labels_)
    with pytest.raises(DataError, match="no sequence to recalibrate on"):
        fit_pool(prepare([[HeldOut(corpus, "up", made)]], labels), [1.0], labels)
    with pytest.raises(DataError, match="strength is 0"):
        fit_pool([], [1.0], labels, strength=0)
    spec = Correction(labels, np.zeros(2), np.zeros((2, 2))).spec()
    with pytest.raises(ValueError, match="does not fit"):
        Correction.from_spec({**spec, "bias": [1.0]})


def test_sequences_that_cannot_be_used_are_left_out(tagger: Tagger) -> None:
    """Missing labels, and labels that the constraints of a fold's model forbid."""
    corpus = random_corpus(20, seed=5)
    labels = tuple(tagger.labels_)
    made = TaggerLayer(tagger).potentials(corpus, {})
    expected = corrected([HeldOut(corpus, "up", made)], 1.0, labels)
    odd = corpus.select([0]).with_column("up", [[None] * len(corpus[0])])
    blocked = Potentials(labels, np.full((len(corpus[0]), 2), -np.inf), np.zeros((2, 2)))
    texts = [
        HeldOut(corpus, "up", made),
        HeldOut(corpus.select([0]), "up", blocked),
        HeldOut(odd, "up", TaggerLayer(tagger).potentials(odd, {})),
    ]
    found = corrected(texts, 1.0, labels)
    np.testing.assert_allclose(found.bias, expected.bias, atol=1e-6)


def test_the_search_can_go_on_where_another_ended(tagger: Tagger) -> None:
    corpus = random_corpus(40, seed=1)
    labels = tuple(tagger.labels_)
    own = HeldOut(corpus, "up", TaggerLayer(tagger).potentials(corpus, {}))
    parts = prepare([[own]], labels)
    first = fit_pool(parts, [0.75], labels)
    again = fit_pool(parts, [0.75], labels, start=first, rounds=0)
    assert isinstance(again, FittedPool)
    np.testing.assert_allclose(again.weights, first.weights)
    np.testing.assert_allclose(again.correction.transitions, first.correction.transitions)
