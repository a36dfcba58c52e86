"""Exact inference in a grid whose factors form a cycle: that of grids in which the layers of the
cycle are one, a few sequences at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.grid.merged import Factors, Key, MergedLayers
from dovetail.grid.results import Labels, Scores


@dataclass(frozen=True)
class Cycle:
    """The scores of a grid, and which of its layers are merged; ``make_grid`` makes a grid."""

    merged: MergedLayers
    factors: Factors
    bounds: npt.NDArray[np.int64]
    make_grid: Callable[..., Any]
    threads: int | None = None

    def best(self) -> tuple[list[Labels], Scores]:
        """The best labels of each layer, and the score of each sequence."""
        found = [part.best("exact", threads=self.threads) for part, _ in self._parts()]
        each = [self.merged.split_labels(one.labels) for one in found]
        layers = range(len(self.merged.sizes))
        labels = [np.concatenate([one[i] for one in each]) for i in layers]
        return labels, np.concatenate([one.scores for one in found])

    def marginals(self) -> tuple[Scores, Factors]:
        """log Z of each sequence, and expectations in the shape of the scores."""
        log_z = np.zeros(len(self.bounds) - 1)
        sums: dict[Key, list[Scores]] = {}
        for part, sequences in self._parts():
            own = part.marginals("exact", threads=self.threads)
            log_z[sequences] = own.log_z
            found = (own.labels, own.transitions, own.cotemporal, own.lagged, own.conditioned)
            for key, value in self.merged.split(self.factors, Factors.of(*found)).scores.items():
                sums.setdefault(key, []).append(value)
        return log_z, Factors({key: self._whole(key, each) for key, each in sums.items()})

    def _whole(self, key: Key, each: Sequence[Scores]) -> Scores:
        """Expectations of all tokens, or added up where one score is that of all."""
        by_token = self.factors.scores[key].ndim > len(self.merged.place(*key).cells)
        return np.concatenate(each) if by_token else np.sum(each, axis=0)

    def joint(self) -> Scores:
        """Probabilities of joint states, with an axis for each layer."""
        each = [part.joint(threads=self.threads) for part, _ in self._parts()]
        none = np.empty((0, *self.merged.sizes))
        return np.concatenate([none, *map(self.merged.split_joint, each)])

    def best_k(self, k: int, sequence: int) -> list[tuple[list[Labels], float]]:
        """The k best labellings of a sequence, with their scores."""
        found = self._part(sequence, sequence + 1).best_k(k)
        return [(self.merged.split_labels(paths), score) for paths, score in found]

    def span_log_probabilities(
        self,
        layer: int,
        spans: Sequence[tuple[int, int]],
        masks: Sequence[npt.ArrayLike],
        sequence: int,
    ) -> Scores:
        """As those of `Grid`."""
        if layer in self.merged.members:
            label = self.merged.digits[layer]
            masks = [np.asarray(mask, dtype=bool)[:, label] for mask in masks]
        part = self._part(sequence, sequence + 1)
        found: Scores = part.span_log_probabilities(self.merged.number(layer), spans, masks)
        return found

    def _parts(self) -> Iterator[tuple[Any, slice]]:
        for first, last in self.merged.parts(self.bounds):
            yield self._part(first, last), slice(first, last)

    def _part(self, first: int, last: int) -> Any:
        """A grid of some sequences, in which the layers of the cycle are one."""
        ends = self.bounds[first : last + 1]
        factors = self.merged.merge(self.factors, slice(int(ends[0]), int(ends[-1])))
        nodes, transitions = factors.named("node"), factors.named("transition")
        layers = [(i,) for i in range(len(nodes))]
        return self.make_grid(
            [nodes[i] for i in layers],
            [transitions[i] for i in layers],
            factors.named("cotemporal"),
            factors.named("lagged"),
            ends - ends[0],
            factors.named("conditioned"),
        )
