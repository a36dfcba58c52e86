"""Exact inference where factors between layers form a cycle, by making one layer of several.

A lagged factor into a layer needs another layer's label at the token before, and a transition that
is given that layer's label needs the one at the token itself: there is no order in which previous
labels could be eliminated one layer after the other. The layers of such a cycle become one layer,
whose labels are combinations of theirs, with transitions of its own into each token. That costs
the square of the combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.grid.results import Labels, Scores

AT_ONCE = 1 << 23  # transition scores that are held in memory at a time
Key = tuple[str, tuple[int, ...]]  # kind of a factor, and its layers


class Factors(NamedTuple):
    """Scores of a grid, or expectations of them, by what they score: ``node`` and ``transition``
    by layer; ``cotemporal``, ``lagged`` and ``conditioned`` by their layers."""

    scores: dict[Key, Scores]

    @classmethod
    def of(
        cls,
        nodes: Sequence[Any],
        transitions: Sequence[Any],
        cotemporal: Mapping[tuple[int, ...], Any],
        lagged: Mapping[tuple[int, int], Any],
        conditioned: Mapping[tuple[int, ...], Any],
    ) -> Factors:
        found: dict[Key, Scores] = {}
        for i, each in enumerate(nodes):
            found["node", (i,)] = np.asarray(each, float)
        for i, each in enumerate(transitions):
            found["transition", (i,)] = np.asarray(each, float)
        for kind, many in (
            ("cotemporal", cotemporal),
            ("lagged", lagged),
            ("conditioned", conditioned),
        ):
            for layers, each in many.items():
                found[kind, tuple(layers)] = np.asarray(each, float)
        return cls(found)

    def named(self, kind: str) -> dict[Any, Scores]:
        """Those of one kind, by layers."""
        return {layers: scores for (own, layers), scores in self.scores.items() if own == kind}


class Place(NamedTuple):
    """Where a factor's scores go: a factor of the merged grid, and for each of its cells the cell
    of the original."""

    kind: str
    layers: tuple[int, ...]
    cells: tuple[Any, ...]


def cyclic_layers(
    n_layers: int, lagged: Sequence[tuple[int, int]], conditioned: Sequence[tuple[int, ...]]
) -> list[int]:
    """The layers that cannot be eliminated one after the other.

    >>> cyclic_layers(3, [(0, 1)], [(0, 1)])  # layer 2 is free
    [0, 1]
    """
    waits = {(before, after) for before, after in lagged}
    waits |= {(layers[-1], given) for layers in conditioned for given in layers[:-1]}
    left = list(range(n_layers))
    while True:
        free = [i for i in left if not any(a == i and b in left for a, b in waits)]
        if not free:
            return left
        left = [i for i in left if i not in free]


@dataclass(frozen=True)
class MergedLayers:
    """Some layers of a grid as one, which comes last after the others."""

    sizes: Sequence[int]
    members: Sequence[int]

    @property
    def others(self) -> list[int]:
        return [i for i in range(len(self.sizes)) if i not in self.members]

    @property
    def merged(self) -> int:
        """Its number."""
        return len(self.others)

    @property
    def n_labels(self) -> int:
        return prod(self.sizes[i] for i in self.members)

    @cached_property
    def digits(self) -> dict[int, npt.NDArray[np.intp]]:
        """Of each member the label that it has in each combination."""
        every = np.indices([self.sizes[i] for i in self.members]).reshape(len(self.members), -1)
        return dict(zip(self.members, every, strict=True))

    def number(self, layer: int) -> int:
        """A layer's number in the merged grid."""
        return self.merged if layer in self.members else self.others.index(layer)

    def place(self, kind: str, layers: tuple[int, ...]) -> Place:
        """Where the scores of a factor go."""
        own = [(i, True) for i in layers]  # layers of its axes, and whether at the token itself
        if kind == "transition":
            own = [(layers[0], False), (layers[0], True)]
        elif kind == "lagged":
            own = [(layers[0], False), (layers[1], True)]
        elif kind == "conditioned":
            own = [*own[:-1], (layers[-1], False), (layers[-1], True)]
        axes = list(dict.fromkeys((self.number(i), here) for i, here in own))
        before = [i for i, here in axes if not here]
        here = [i for i, here in axes if here]
        target: Key
        if not before:
            target = ("node" if len(here) == 1 else "cotemporal", tuple(here))
        elif before[0] not in here:
            target = ("lagged", (before[0], here[0]))
        else:
            given = tuple(i for i in here if i != before[0])
            axes = [*((i, True) for i in given), (before[0], False), (before[0], True)]
            target = ("conditioned" if given else "transition", (*given, before[0]))
        shape = [self.n_labels if i == self.merged else self.sizes[self.others[i]] for i, _ in axes]
        grid = np.indices(shape)
        index = []
        for i, at_token in own:
            cell = grid[axes.index((self.number(i), at_token))]
            index.append(self.digits[i][cell] if i in self.members else cell)
        return Place(*target, tuple(index))

    def merge(self, factors: Factors, tokens: slice) -> Factors:
        """The scores of some tokens in the merged grid."""
        n_tokens = tokens.stop - tokens.start
        out: dict[Key, Scores] = {}
        for (kind, layers), scores in factors.scores.items():
            place = self.place(kind, layers)
            shared = scores.ndim == len(place.cells)
            own = scores[place.cells] if shared else scores[(tokens, *place.cells)]
            key = (place.kind, place.layers)
            if key in out:
                out[key] = out[key] + own
            elif shared and place.kind not in ("transition", "conditioned"):
                out[key] = np.broadcast_to(own, (n_tokens, *own.shape))
            else:
                out[key] = own
        return Factors(out)

    def split(self, factors: Factors, found: Factors) -> Factors:
        """Expectations in the grid of these factors, given those in the merged one."""
        out: dict[Key, Scores] = {}
        for (kind, layers), scores in factors.scores.items():
            place = self.place(kind, layers)
            every = found.scores[place.kind, place.layers]
            shared = scores.ndim == len(place.cells)
            if every.ndim > place.cells[0].ndim and shared:
                every = every.sum(axis=0)
            shape = scores.shape if shared else scores.shape[1:]
            cells = np.ravel_multi_index(place.cells, shape).ravel()
            order = np.argsort(cells, kind="stable")
            starts = np.searchsorted(cells[order], np.arange(prod(shape)))
            flat = every.reshape(-1, cells.size)[:, order]
            sums = np.add.reduceat(flat, starts, axis=1) if flat.size else flat
            out[kind, layers] = sums.reshape(shape if shared else (-1, *shape))
        return Factors(out)

    def split_labels(self, labels: Sequence[Labels]) -> list[Labels]:
        """The labels of all layers, given those in the merged grid."""
        return [
            self.digits[i][labels[self.merged]].astype(np.int32)
            if i in self.members
            else labels[self.number(i)]
            for i in range(len(self.sizes))
        ]

    def split_joint(self, states: Scores) -> Scores:
        """Probabilities of joint states, with an axis for each layer."""
        whole = states.reshape(len(states), *(self.sizes[i] for i in (*self.others, *self.members)))
        order = [*self.others, *self.members]
        return np.transpose(whole, (0, *(1 + order.index(i) for i in range(len(order)))))

    def parts(self, bounds: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Sequences from one to before another, few enough that their transitions can be held."""
        most = max(1, AT_ONCE // self.n_labels**2)
        first = 0
        if len(bounds) == 1:
            yield 0, 0  # without sequences: results are empty, but have their shapes
        while first < len(bounds) - 1:
            last = int(np.searchsorted(bounds, bounds[first] + most, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last
