"""Features of a stretch of training data, for every label that a column below may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Potentials, Scores
from dovetail.numeric import SparseMatrix

Ints = npt.NDArray[np.integer]
Bounds = npt.NDArray[np.int64]
Features = tuple[Ints, Ints, npt.NDArray[np.floating]]  # bounds of places, features, values


@dataclass(frozen=True)
class FeatureWeights:
    """What each parameter weighs: a feature's number, or -1 where it is none of these, and a label.
    Of features on transitions, pairs of labels are what is weighed."""

    feature: Ints
    label: Ints
    n_labels: int

    def cells(self, features: Ints) -> tuple[Ints, Ints]:
        """The parameters of some features, given in order, and their cells in a table
        [these features x labels]."""
        place = np.searchsorted(features, self.feature)
        place[place == len(features)] = 0
        parameters = np.flatnonzero(features[place] == self.feature) if features.size else place[:0]
        return parameters, place[parameters] * self.n_labels + self.label[parameters]


@dataclass(frozen=True)
class Occurrences:
    """Where features occur: at tokens, or at tokens with each label of latent columns.

    ``matrix`` [places x features] has the values of those that do. ``cells`` says where in a table
    [features x labels] the weights of ``parameters`` stand, and ``shape`` is that of the scores:
    tokens, labels of latent columns, labels. Where features read nothing but latent columns all
    tokens are alike, and the matrix has only one.
    """

    matrix: SparseMatrix
    parameters: Ints
    cells: Ints
    shape: tuple[int, ...]

    @classmethod
    def within(
        cls, found: Features, weights: FeatureWeights, first: int, last: int, *latent: int
    ) -> Self:
        """Those from one token to another; ``latent`` are numbers of labels."""
        bounds, numbers, values = found
        places = prod(latent)
        own = bounds[first * places : last * places + 1].astype(np.int64)
        here = slice(int(own[0]), int(own[-1]))
        numbers, values, own = numbers[here], values[here], own - own[0]
        if all(_repeats(each, last - first) for each in (np.diff(own), numbers, values)):
            own = own[: places + 1]
            numbers, values = numbers[: own[-1]], values[: own[-1]]
        features, columns = np.unique(numbers, return_inverse=True)
        matrix = SparseMatrix(own, columns, values.astype(np.float64), len(features))
        return cls(matrix, *weights.cells(features), (last - first, *latent, weights.n_labels))

    def scores(self, weights: Scores) -> Scores:
        """The sums of the weights at each place."""
        table = np.zeros((self.matrix.n_columns, self.shape[-1]))
        table.ravel()[self.cells] = weights[self.parameters]
        return np.broadcast_to(self.matrix.matmul(table).reshape(-1, *self.shape[1:]), self.shape)

    def transitions(self, weights: Scores) -> Scores:
        """The same where pairs of labels are weighed: [tokens x labels of latent columns ... x
        labels x labels], without tokens where all are alike."""
        found = self.scores(weights)
        n = round(self.shape[-1] ** 0.5)
        shape = (*self.shape[:-1], n, n)
        if self.matrix.n_rows == prod(self.shape[1:-1]):
            return found[0].reshape(shape[1:]) if len(found) else np.zeros(shape[1:])
        return found.reshape(shape)

    def expected(self, places: Scores) -> Scores:
        """What is expected of each of the parameters, given what is of each place."""
        alike = places.reshape(-1, self.matrix.n_rows, self.shape[-1])
        table = self.matrix.transposed_matmul(alike[0] if len(alike) == 1 else alike.sum(axis=0))
        return table.ravel()[self.cells]


def _repeats(values: npt.NDArray[Any], times: int) -> bool:
    """Whether an array is the same part over and over."""
    if not times or len(values) % times:
        return False
    parts = values.reshape(times, -1)
    return bool((parts == parts[:1]).all())


class LayerWeights(NamedTuple):
    """A layer's weights, or what is expected of them: by parameter, and of transitions
    [labels x labels]."""

    parameters: Scores
    transitions: Scores

    def add(self, counts: Counts) -> None:
        """Add what is expected in a block."""
        for parameters, values in counts.features:
            self.parameters[parameters] += values
        self.transitions[...] += counts.transitions


class Counts(NamedTuple):
    """What is expected in a block: of some parameters, with their numbers, and of
    transitions."""

    features: list[tuple[Ints, Scores]]
    transitions: Scores


@dataclass(frozen=True)
class BlockFeatures:
    """The features of one layer over a few sequences.

    ``cotemporal`` and ``lagged`` are those that read a column below, at the token itself
    and at the token before; ``into`` and ``conditioned`` are those on transitions, of which the
    latter read a column below. ``not_first`` and ``not_last`` are labels that cannot begin or end a
    sequence.
    """

    labels: tuple[str, ...]
    bounds: Bounds
    known: Occurrences
    cotemporal: Mapping[tuple[str, ...], Occurrences]
    lagged: Mapping[str, Occurrences]
    into: Occurrences | None
    conditioned: Mapping[tuple[str, ...], Occurrences]
    not_first: Ints
    not_last: Ints

    def potentials(self, weights: LayerWeights) -> Potentials:
        """Scores of the layer under these weights."""
        firsts, lasts = self._ends
        own = weights.parameters
        node = self.known.scores(own).copy()
        cotemporal = {names: each.scores(own) for names, each in self.cotemporal.items()}
        lagged = {name: each.scores(own).copy() for name, each in self.lagged.items()}
        for (
            scores
        ) in lagged.values():  # before the first token there is no label: all rows are alike
            node[firsts] += scores[firsts, 0]
            scores[firsts] = 0
        node[firsts[:, None], self.not_first] = -np.inf
        node[lasts[:, None], self.not_last] = -np.inf
        transitions = weights.transitions
        if self.into is not None:
            transitions = transitions + self.into.transitions(own)
        conditioned = {names: each.transitions(own) for names, each in self.conditioned.items()}
        return Potentials(self.labels, node, transitions, cotemporal, lagged, conditioned)

    def expected(self, labels: Potentials) -> Counts:
        """What is expected of features and transitions, given what is of labels."""
        firsts, _ = self._ends
        pairs = [(self.known, labels.node)]
        pairs += [(each, labels.cotemporal[names]) for names, each in self.cotemporal.items()]
        for name, each in self.lagged.items():
            lag = labels.lagged[name].copy()
            lag[firsts] = 0
            lag[firsts, 0] = labels.node[firsts]
            pairs.append((each, lag))
        if self.into is not None:
            pairs.append((self.into, labels.transitions))
        pairs += [(each, labels.conditioned[names]) for names, each in self.conditioned.items()]
        plain = labels.transitions
        return Counts(
            [(each.parameters, each.expected(x)) for each, x in pairs],
            plain.sum(axis=0) if plain.ndim == 3 else plain,
        )

    @property
    def _ends(self) -> tuple[Bounds, Bounds]:
        filled = np.diff(self.bounds) > 0
        return self.bounds[:-1][filled], self.bounds[1:][filled] - 1
