"""A model's weights by name, and the columns of bytes in which the kernels want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.chain import Chain

Bytes = NDArray[np.uint8]
Token = Sequence[str] | Mapping[str, float]

NONE = 0xFFFFFFFF
TOP_BIT = 0x80000000
LAST_PAIR = 0x8000
START, END = "⟨start⟩", "⟨end⟩"  # features of every first and every last token
COLUMNS = (
    *("slots", "row", "dense", "pair_label", "pair_weight", "transitions"),
    *("edge_row", "cell", "cell_weight"),
)


def _fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ (product >> 64)) & 0xFFFFFFFFFFFFFFFF


def key_of(text: str) -> int:
    """The 64-bit key of a feature string, as model files hold it: must never change."""
    k0, k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
    data = text.encode()
    state = _fold(k0, len(data) ^ k1)
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        state = (_fold(state ^ int.from_bytes(data[at : at + 8], "little"), k1) + k2) % 2**64
    rest = data[whole:]
    state = (_fold(state ^ int.from_bytes(rest, "little"), k2) + len(rest)) % 2**64
    return _fold(state ^ k0, k1) or 1


@dataclass
class TinyModel:
    """Weights of a model; features in ``dense`` are laid out as whole rows."""

    n_labels: int
    transitions: NDArray[np.float32]  # [L, L]
    on_labels: dict[str, dict[int, float]] = field(default_factory=dict)
    on_transitions: dict[str, dict[tuple[int, int], float]] = field(default_factory=dict)
    dense: frozenset[str] = frozenset()

    def chain(self, tokens: Sequence[Token]) -> Chain:
        """The scores of one sequence, feature by feature."""
        labels = self.n_labels
        score = np.zeros((len(tokens), labels))
        transition = np.zeros((len(tokens), labels, labels)) + self.transitions.astype(np.float64)
        for t, token in enumerate(tokens):
            pairs = list(token.items() if isinstance(token, Mapping) else ((f, 1.0) for f in token))
            pairs += [(START, 1.0)] * (t == 0) + [(END, 1.0)] * (t == len(tokens) - 1)
            for feature, value in pairs:
                for label, weight in self.on_labels.get(feature, {}).items():
                    score[t, label] += value * weight
                for (i, j), weight in self.on_transitions.get(feature, {}).items():
                    transition[t, i, j] += value * weight
        return Chain(score, transition)

    def columns(self) -> dict[str, Bytes]:
        padded = (self.n_labels + 7) // 8 * 8
        names = sorted({*self.on_labels, *self.on_transitions})
        row: list[int] = []
        dense: list[list[float]] = []
        pairs: list[tuple[int, float]] = []
        edge_row: list[int] = []
        cells: list[tuple[int, float]] = []
        for name in names:
            weights = self.on_labels.get(name, {})
            if name in self.dense and weights:
                row.append(TOP_BIT | len(dense))
                dense.append([weights.get(j, 0.0) for j in range(padded)])
            else:
                row.append(len(pairs) if weights else NONE)
                pairs += _with_last_marked(list(weights.items()), LAST_PAIR)
            weighted = self.on_transitions.get(name, {})
            edge_row.append(len(cells) if weighted else NONE)
            flat = [(i * padded + j, weight) for (i, j), weight in weighted.items()]
            cells += _with_last_marked(flat, TOP_BIT)
        arrays: dict[str, NDArray[Any]] = {
            "slots": np.array(_slots(names), np.uint32),
            "row": np.array(row, np.uint32),
            "dense": np.array(dense, np.float32),
            "pair_label": np.array([label for label, _ in pairs], np.uint16),
            "pair_weight": np.array([weight for _, weight in pairs], np.float32),
            "transitions": self.transitions.astype(np.float32),
            "edge_row": np.array(edge_row if self.on_transitions else [], np.uint32),
            "cell": np.array([at for at, _ in cells], np.uint32),
            "cell_weight": np.array([weight for _, weight in cells], np.float32),
        }
        return {name: arrays[name].reshape(-1).view(np.uint8) for name in COLUMNS}


def _with_last_marked(entries: list[tuple[int, float]], mark: int) -> list[tuple[int, float]]:
    if not entries:
        return []
    number, weight = entries[-1]
    return [*entries[:-1], (number | mark, weight)]


def _slots(names: list[str]) -> list[int]:
    capacity = 1
    while capacity < 2 * len(names):
        capacity *= 2
    slots = [[0, 0, 0] for _ in range(capacity)]
    for number, name in enumerate(names):
        key = key_of(name)
        at = key % capacity
        while slots[at][0] or slots[at][1]:
            at = (at + 1) % capacity
        slots[at] = [key % 2**32, key >> 32, number]
    return [word for slot in slots for word in slot]
