"""Grids of a usual size: against chains, over threads, and of long documents."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail.grid import Grid
from reference.random_grids import random_grid


def test_without_ties_layers_are_separate_chains() -> None:
    scores = random_grid(40, 4, 5, 3, coupled=False)
    together, best = Grid(**scores).marginals(), Grid(**scores).best()
    for i in range(3):
        alone = Grid([scores["nodes"][i]], [scores["transitions"][i]])
        np.testing.assert_allclose(alone.marginals().labels[0], together.labels[i], atol=1e-10)
        np.testing.assert_allclose(
            alone.marginals().transitions[0], together.transitions[i], atol=1e-9
        )
        assert alone.best().labels[0].tolist() == best.labels[i].tolist()


def test_one_layer_is_a_chain() -> None:
    rng = np.random.default_rng(3)
    X = [[[f"w{rng.integers(30)}", f"v{rng.integers(9)}"] for _ in range(n)] for n in (7, 1, 0, 12)]
    y = [[str(rng.integers(5)) for _ in sequence] for sequence in X]
    tagger = dovetail.Tagger(c2=0.1).fit(X, y)
    model = tagger.model_.native
    batch = model.encode(X)
    grid = Grid([model.token_scores(batch)], [model.transitions()], bounds=batch.bounds)

    names, best = tagger.model_.labels, grid.best("exact")
    assert [names[label] for label in best.labels[0]] == [z for s in tagger.predict(X) for z in s]
    found = grid.marginals("exact")
    rows = [[token[name] for name in names] for s in tagger.predict_marginals(X) for token in s]
    np.testing.assert_allclose(found.labels[0], rows, atol=1e-9)
    likely = tagger.predict_nbest(X, 5)
    for s, paths in enumerate(likely):
        mine = grid.best_k(5, sequence=s)
        probabilities = np.exp([score - found.log_z[s] for _, score in mine])
        np.testing.assert_allclose(probabilities, [p for _, p in paths], rtol=1e-6)


def same_bits(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_bits(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_bits, a, b))
    return bool(a == b)


def test_the_number_of_threads_changes_no_bit() -> None:
    scores = random_grid(900, 5, 4, 3)
    rng = np.random.default_rng(4)
    bounds = [0, *np.sort(rng.choice(900, size=150)).tolist(), 900]
    scores["transitions"][1] = rng.normal(size=(900, 4, 4))
    grid = Grid(**scores, lagged={(2, 0): rng.normal(size=(900, 3, 5))}, bounds=bounds)
    assert same_bits(grid.best(threads=1), grid.best(threads=4))
    assert same_bits(grid.marginals(threads=1), grid.marginals(threads=4))
    assert same_bits(grid.joint(threads=1), grid.joint(threads=4))


def test_messages_that_are_computed_again_are_the_same() -> None:
    """Where only some messages are kept, all results are as if all had been kept."""
    scores = random_grid(700, 20, 15, 12)
    whole, part = Grid(**scores), 60
    short = {
        "nodes": [node[:part] for node in scores["nodes"]],
        "transitions": scores["transitions"],
        "cotemporal": {layers: score[:part] for layers, score in scores["cotemporal"].items()},
    }
    mine, theirs = whole.marginals(), Grid(**short).marginals()
    for a, b in zip(mine.labels, theirs.labels, strict=True):
        np.testing.assert_allclose(a[: part - 30], b[: part - 30], atol=1e-8)
        np.testing.assert_allclose(a.sum(axis=1), 1)
    best = [labels[: part - 30].tolist() for labels in whole.best().labels]
    assert best == [labels[: part - 30].tolist() for labels in Grid(**short).best().labels]
    (top, score), (_, second) = whole.best_k(2)
    assert [labels.tolist() for labels in top] == [b.tolist() for b in whole.best().labels]
    assert score == pytest.approx(whole.best().scores[0])
    assert second <= score
    mask = np.ones((4, 12), dtype=bool)
    mask[1:3, 3:] = False
    (event,) = whole.span_log_probabilities(2, [(10, 12)], [mask])
    (near,) = Grid(**short).span_log_probabilities(2, [(10, 12)], [mask])
    assert event == pytest.approx(near, abs=1e-8)


DOCUMENT = """
import resource, sys, numpy as np
from dovetail.grid import Grid
T = 100_000
rng = np.random.default_rng(1)
nodes = [rng.normal(size=(T, 9)) for _ in range(2)]
transitions = [rng.normal(size=(9, 9)) for _ in range(2)]
grid = Grid(nodes, transitions, {(0, 1): rng.normal(size=(T, 9, 9))})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
best = grid.best("exact")
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert np.isfinite(best.scores[0]) and len(best.labels[0]) == T
print(after - before)
"""


def test_a_long_document_takes_little_memory() -> None:
    """All messages of 10^5 tokens in 9 x 9 labels would be 65 MB, padded 115 MB."""
    unit = 1024 if sys.platform == "darwin" else 1
    run = subprocess.run(
        [sys.executable, "-c", DOCUMENT], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) / unit < 25_000
