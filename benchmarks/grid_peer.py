"""The general tool: a grid of two layers as a Markov network in pgmpy.

pgmpy makes a junction tree of a network by itself. On a ladder its triangulation is so poor that
memory ends before twenty tokens of 9 x 9 labels, so it is also given the best tree there is, whose
cliques are three neighbours. It takes beliefs that differ by less than 1e-8 for equal, and would
stop too early on small ones, so its factors are scaled to a sum of 1 over all labellings. Its Mplp
is left out: it solves a relaxation, and its labels differ.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any

import grid_models

Variable = tuple[int, int]  # layer, token
Answer = tuple[list[list[int]], list[list[list[float]]]]  # best labels, probabilities of labels


def compare(pipeline: str | None, tokens: int, labels: int, own_tree: bool) -> dict[str, Any]:
    """Best labels and marginals of one grid by both; seconds (wall, CPU) and largest difference.

    The scores are those of a pipeline on mail, or random where there is none.
    """
    import numpy as np

    warnings.filterwarnings("ignore")
    nodes, transitions, cotemporal = (
        _random(tokens, labels) if pipeline is None else _real(pipeline, tokens)
    )
    network = _network(nodes, transitions, cotemporal)
    theirs = _fastest(3, lambda: _pgmpy(network, len(nodes[0]), own_tree))
    ours = _fastest(100, lambda: _dovetail(nodes, transitions, cotemporal))
    pairs = zip(theirs["answer"][1], ours["answer"][1], strict=True)
    return {
        "theirs": theirs["seconds"],
        "ours": ours["seconds"],
        "same_labels": theirs["answer"][0] == ours["answer"][0],
        "difference": max(float(np.abs(np.array(a) - np.array(b)).max()) for a, b in pairs),
        "tokens": len(nodes[0]),
    }


def _random(tokens: int, labels: int) -> tuple[Any, Any, Any]:
    import numpy as np

    draw = np.random.default_rng(0).normal
    nodes = [draw(size=(tokens, labels)) for _ in range(2)]
    return (
        nodes,
        [draw(size=(labels, labels)) for _ in range(2)],
        draw(size=(tokens, labels, labels)),
    )


def _real(pipeline: str, tokens: int) -> tuple[Any, Any, Any]:
    opened = grid_models.opened(pipeline)
    corpus = opened.corpus_of([grid_models.announcement(tokens)])
    [(_, grid)] = opened.joint_scores(corpus).grids()
    assert list(grid.cotemporal) == [(0, 1)]
    assert not grid.lagged
    return grid.nodes, grid.transitions, grid.cotemporal[0, 1]


def _fastest(repeats: int, answer: Callable[[], Answer]) -> dict[str, Any]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter(), time.process_time()
        found = answer()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    seconds = [min(wall for wall, _ in times), min(cpu for _, cpu in times)]
    return {"answer": found, "seconds": seconds}


def _dovetail(nodes: Any, transitions: Any, cotemporal: Any) -> Answer:
    from dovetail.grid import Grid

    grid = Grid(nodes, transitions, {(0, 1): cotemporal})
    best = [codes.tolist() for codes in grid.best("exact", threads=1).labels]
    return best, [p.tolist() for p in grid.marginals("exact", threads=1).labels]


def _network(nodes: Any, transitions: Any, cotemporal: Any) -> Any:
    """Factors of exponentiated scores, scaled alike at every token."""
    import numpy as np
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    from dovetail.grid import Grid

    def factor(scope: list[Variable], scores: Any) -> Any:
        return DiscreteFactor(scope, scores.shape, np.exp(scores))

    scale = Grid(nodes, transitions, {(0, 1): cotemporal}).marginals("exact").log_z[0] / len(
        cotemporal
    )

    factors = []
    for t in range(len(cotemporal)):
        factors += [factor([(layer, t)], nodes[layer][t]) for layer in (0, 1)]
        factors.append(factor([(0, t), (1, t)], cotemporal[t] - scale))
        if t:
            factors += [factor([(k, t - 1), (k, t)], transitions[k]) for k in (0, 1)]
    network = DiscreteMarkovNetwork()
    network.add_nodes_from({v for each in factors for v in each.scope()})
    network.add_edges_from([each.scope() for each in factors if len(each.scope()) == 2])
    network.add_factors(*factors)
    return network


def _pgmpy(network: Any, tokens: int, own_tree: bool) -> Answer:
    """Max- and sum-product in a junction tree, and what its cliques say of each variable."""
    from pgmpy.inference import BeliefPropagation

    tree = network.to_junction_tree() if own_tree else _ladder(network, tokens)
    labels: dict[Variable, int] = {}
    probabilities: dict[Variable, list[float]] = {}
    for calibrate, reduce in (("max_calibrate", "maximize"), ("calibrate", "marginalize")):
        propagation = BeliefPropagation(tree)
        getattr(propagation, calibrate)()
        homes = {v: c for c in propagation.get_clique_beliefs() for v in c}
        for variable, clique in homes.items():
            others = [v for v in clique if v != variable]
            belief = propagation.get_clique_beliefs()[clique]
            values = getattr(belief, reduce)(others, inplace=False).values
            if reduce == "maximize":
                labels[variable] = int(values.argmax())
            else:
                probabilities[variable] = (values / values.sum()).tolist()
    return (
        [[labels[layer, t] for t in range(tokens)] for layer in (0, 1)],
        [[probabilities[layer, t] for t in range(tokens)] for layer in (0, 1)],
    )


def _ladder(network: Any, tokens: int) -> Any:
    """The junction tree of a ladder with the smallest cliques."""
    import numpy as np
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import JunctionTree

    line = [(layer, t) for t in range(tokens) for layer in (0, 1)]
    cliques = list(zip(line, line[1:], line[2:], strict=False))
    sizes = network.get_cardinality()
    waiting = list(network.get_factors())
    factors = []
    for clique in cliques:
        shape = [sizes[v] for v in clique]
        product = DiscreteFactor(clique, shape, np.ones(shape))
        for factor in [f for f in waiting if set(f.scope()) <= set(clique)]:
            product = product * factor
            waiting.remove(factor)
        factors.append(product)
    tree = JunctionTree()
    tree.add_nodes_from(cliques)
    tree.add_edges_from(itertools.pairwise(cliques))
    tree.add_factors(*factors)
    return tree
