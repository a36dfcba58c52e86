"""Random grids, small enough to be enumerated, or of any size."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st


@st.composite
def small_grids(draw: st.DrawFn, cyclic: bool = False, mutual: bool = False) -> dict[str, Any]:
    """Scores of a few short sequences in one to four layers, with cotemporal factors of two and
    three layers, lagged factors, transitions that differ from token to token or are given the
    labels of other layers, and now and then forbidden labels and large numbers. Every sequence has
    a labelling that is allowed. If not ``cyclic``, lagged factors and given labels leave an order
    in which layers can be eliminated; only ``mutual`` ones are given one another's labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layers = draw(st.integers(1, 4))
    sizes = [draw(st.integers(1, 3 if layers < 3 else 2)) for _ in range(layers)]
    lengths = draw(st.lists(st.integers(0, 4 if layers < 3 else 3), min_size=1, max_size=3))
    bounds = [0, *np.cumsum(lengths).tolist()]
    T, scale = bounds[-1], draw(st.sampled_from([1.0, 5.0, 300.0]))

    def scores(*shape: int) -> Any:
        return scale * rng.normal(size=shape)

    order = rng.permutation(layers)
    scene: dict[str, Any] = {
        "nodes": [scores(T, size) for size in sizes],
        "transitions": [
            scores(T, size, size) if rng.random() < 0.3 else rng.normal(size=(size, size))
            for size in sizes
        ],
        "cotemporal": {
            joined: scores(T, *(sizes[i] for i in joined))
            for n in (2, 3)
            for joined in permutations(range(layers), n)
            if rng.random() < 0.8 / n**2
        },
        "lagged": {
            (int(a), int(b)): scores(T, sizes[a], sizes[b])
            for a, b in (permutations if cyclic else combinations)(order, 2)
            if rng.random() < 0.4
        },
        "conditioned": {
            joined: scores(*([T] if rng.random() < 0.5 else []), *(sizes[i] for i in joined), size)
            for joined, size in _given(rng.permutation(layers) if cyclic else order, sizes, mutual)
            if rng.random() < 0.5 / len(joined)
        },
        "bounds": bounds,
    }
    if draw(st.booleans()):
        forbid(scene, rng)
    return scene


def _given(order: Any, sizes: list[int], mutual: bool) -> list[tuple[tuple[int, ...], int]]:
    """Layers that transitions can be given and last their own, with its size. A lagged factor from
    a layer to a later one wants the later one first, so given labels are of later ones."""
    place = {int(layer): k for k, layer in enumerate(order)}
    found = [
        joined
        for n in (2, 3)
        for joined in permutations(map(int, order), n)
        if mutual or all(place[i] > place[joined[-1]] for i in joined[:-1])
    ]
    return [(joined, sizes[joined[-1]]) for joined in found]


def forbid(scene: dict[str, Any], rng: np.random.Generator) -> None:
    """Forbids some labels, transitions, cotemporal and lagged labels, but never all at once."""
    T = scene["bounds"][-1]
    path = [rng.integers(node.shape[1], size=T) for node in scene["nodes"]]
    before = [np.roll(labels, 1) for labels in path]
    every = np.arange(T)

    def some(score: Any, *allowed: Any) -> None:
        forbidden = rng.random(score.shape) < 0.25
        forbidden[allowed] = False
        score[forbidden] = -np.inf

    for i, (node, transition) in enumerate(zip(scene["nodes"], scene["transitions"], strict=True)):
        some(node, every, path[i])
        some(transition, *([every] if transition.ndim == 3 else []), before[i], path[i])
    for layers, score in scene["cotemporal"].items():
        some(score, every, *(path[i] for i in layers))
    for (a, b), score in scene["lagged"].items():
        some(score, every, before[a], path[b])
    for layers, score in scene.get("conditioned", {}).items():
        own = layers[-1]
        tokens = [every] if score.ndim == len(layers) + 2 else []
        some(score, *tokens, *(path[i] for i in layers[:-1]), before[own], path[own])


def random_grid(T: int, *sizes: int, coupled: bool = True) -> dict[str, Any]:
    """One sequence; neighbouring layers are coupled."""
    rng = np.random.default_rng(1)
    return {
        "nodes": [rng.normal(size=(T, n)) for n in sizes],
        "transitions": [rng.normal(size=(n, n)) for n in sizes],
        "cotemporal": {
            (i, i + 1): coupled * rng.normal(size=(T, sizes[i], sizes[i + 1]))
            for i in range(len(sizes) - 1)
        },
    }
