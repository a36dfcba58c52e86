"""A lattice between layers: the likeliest labellings of those below, each with its probability.

Unlike marginals, whole labellings keep what goes together: a name that is a person from its first
word to its last, or a place from its first word to its last. A layer is decoded against each of
them, and its answer is that of the mixture

    P(y | x) = sum over labellings z of P(z | x) P(y | x, z)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Scores
from dovetail.corpus import Column, Corpus
from dovetail.grid import Grid
from dovetail.numeric import exp, log
from dovetail.pipeline.decode.span_decision import label_scores
from dovetail.pipeline.layers.known import Codes, Known
from dovetail.pipeline.layers.layer import Layer

N_BEST = 5  # labellings, where no number is given
LEAST = 1e-4  # weight of a labelling that is worth training on
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lattice:
    """A corpus with several labellings by lower layers.

    ``codes`` has for each of these layers its labels, [labellings x tokens], ``labels`` what they
    stand for; ``weights`` [labellings x sequences] are their probabilities and add up to 1 in each
    sequence. Where a sequence has fewer labellings, the others have no weight.
    """

    corpus: Corpus
    codes: Mapping[str, npt.NDArray[np.int32]]
    labels: Mapping[str, tuple[str, ...]]
    weights: Scores

    @classmethod
    def start(cls, corpus: Corpus) -> Lattice:
        """Nothing is labelled yet."""
        return cls(corpus, {}, {}, np.ones((1, len(corpus))))

    @property
    def corpora(self) -> list[Corpus]:
        """The corpus with each labelling, the likeliest first."""
        out = []
        for rank in range(len(self.weights)):
            filled = self.corpus
            for name, codes in self.codes.items():
                filled = filled.with_column(name, Column(codes[rank], self.labels[name]))
            out.append(filled)
        return out

    def extend(self, layer: Layer, n: int, known: Known | None, threads: int | None) -> Lattice:
        """The n likeliest labellings by all layers so far and one more that reads them."""
        given = Mixture.of(layer, self, known, threads)
        filled = np.flatnonzero(np.diff(self.corpus.bounds) > 0)
        every = {s: given.best_k(n, s) for s in filled.tolist()}
        n = max([1, *map(len, every.values())])
        names = [*self.codes, layer.name]
        found = {name: np.zeros((n, self.corpus.n_tokens), np.int32) for name in names}
        weights = np.zeros((n, len(self.corpus)))
        weights[0] = 1.0  # of those without tokens
        for s, ranked in every.items():
            tokens = slice(*self.corpus.bounds[s : s + 2].tolist())
            for rank in range(n):
                below, path, _ = ranked[min(rank, len(ranked) - 1)]
                for name, codes in self.codes.items():
                    found[name][rank, tokens] = codes[below, tokens]
                found[layer.name][rank, tokens] = path
            logs = np.array([log_probability for *_, log_probability in ranked])
            share = exp(logs - logs[0])  # all are near 0 where a sequence is long
            weights[: len(ranked), s] = share / share.sum()
        return Lattice(self.corpus, found, {**self.labels, layer.name: layer.labels}, weights)

    def unfold(self) -> tuple[Corpus, list[float]]:
        """All labellings that count, one after another, and their weights by sequence."""
        corpora, weights = [], []
        for filled, own in zip(self.corpora, self.weights, strict=True):
            kept = np.flatnonzero(own > LEAST)
            corpora.append(filled.select(kept))
            weights += own[kept].tolist()
        return Corpus.concatenate(corpora), weights

    @staticmethod
    def join(parts: Sequence[tuple[Ints, Lattice]], corpus: Corpus) -> Lattice:
        """The lattice of a corpus from those of selected sequences."""
        first = parts[0][1]
        n = max(len(one.weights) for _, one in parts)
        codes = {name: np.zeros((n, corpus.n_tokens), np.int32) for name in first.codes}
        weights = np.zeros((n, len(corpus)))
        for sequences, one in parts:
            weights[: len(one.weights), sequences] = one.weights
            for at, s in enumerate(sequences.tolist()):
                here = slice(*corpus.bounds[s : s + 2].tolist())
                there = slice(*one.corpus.bounds[at : at + 2].tolist())
                for name in codes:
                    codes[name][: len(one.weights), here] = one.codes[name][:, there]
        return Lattice(corpus, codes, first.labels, weights)

    def select(self, sequences: Ints) -> Lattice:
        """That of some sequences."""
        bounds = self.corpus.bounds
        tokens = [np.arange(bounds[s], bounds[s + 1]) for s in sequences.tolist()]
        rows = np.concatenate([np.zeros(0, np.int64), *tokens])
        codes = {name: np.ascontiguousarray(own[:, rows]) for name, own in self.codes.items()}
        chosen = self.corpus.select(sequences)
        return Lattice(chosen, codes, self.labels, np.ascontiguousarray(self.weights[:, sequences]))


@dataclass(frozen=True)
class Mixture:
    """A layer given each labelling of a lattice, mixed by their weights."""

    grids: Sequence[Grid]
    log_z: Sequence[Scores]
    weights: Scores
    threads: int | None

    @classmethod
    def of(
        cls, layer: Layer, lattice: Lattice, known: Known | None, threads: int | None
    ) -> Mixture:
        reads = set(layer.annotator.reads_) & set(lattice.codes)
        corpora = lattice.corpora if reads else [lattice.corpus]
        weights = lattice.weights if reads else np.ones((1, len(lattice.corpus)))
        grids = [layer.annotator.grid(corpus) for corpus in corpora]
        if known is not None:
            grids = [grid.clamp(0, known.codes) for grid in grids]
        log_z = [grid.marginals("exact", threads=threads).log_z for grid in grids]
        if not reads:  # the same for all labellings: those below stay as they are
            grids, log_z = grids * len(lattice.weights), log_z * len(lattice.weights)
            weights = lattice.weights
        return cls(grids, log_z, weights, threads)

    @property
    def _different(self) -> list[tuple[Grid, Scores, Scores]]:
        """Each grid once, with log Z of its sequences and their weights."""
        out: dict[int, tuple[Grid, Scores, Scores]] = {}
        for grid, log_z, own in zip(self.grids, self.log_z, self.weights, strict=True):
            before = out.get(id(grid))
            out[id(grid)] = (grid, log_z, own if before is None else before[2] + own)
        return list(out.values())

    @property
    def _lengths(self) -> Ints:
        bounds: Ints = np.asarray(self.grids[0].bounds, np.int64)
        return bounds[1:] - bounds[:-1]

    def best(self) -> Codes:
        """Of the labellings that are best given one below, the likeliest in the mixture."""
        parts = self._different
        answers = [grid.best("exact", threads=self.threads).labels[0] for grid, _, _ in parts]
        values = np.array([self.log_probabilities(codes) for codes in answers])
        chosen = values.argmax(axis=0)
        bounds = np.asarray(self.grids[0].bounds, np.int64)
        each = np.repeat(chosen, self._lengths)
        best: Codes = np.array(answers)[each, np.arange(bounds[-1])]
        return best

    def log_probabilities(self, codes: Codes) -> Scores:
        """Of these labels, for each sequence."""
        terms = np.array(
            [
                np.where(own > 0, label_scores(grid, codes) - log_z + _log(own), -np.inf)
                for grid, log_z, own in self._different
            ]
        )
        high = terms.max(axis=0)
        return np.asarray(np.minimum(high + log(exp(terms - high).sum(axis=0)), 0.0))

    @property
    def marginals(self) -> Scores:
        """Probabilities of labels, [tokens x labels]."""
        total = np.zeros(np.shape(self.grids[0].nodes[0]))
        for grid, _, own in self._different:
            each = np.repeat(own, self._lengths)
            total += each[:, None] * grid.marginals("exact", threads=self.threads).labels[0]
        return total

    def span_log_probabilities(
        self,
        layer: int,
        spans: Sequence[tuple[int, int]],
        masks: Sequence[npt.ArrayLike],
        sequence: int = 0,
    ) -> Scores:
        """As those of `Grid`."""
        total = np.zeros(len(spans))
        for grid, _, own in self._different:
            if own[sequence] > 0:
                found = grid.span_log_probabilities(layer, spans, masks, sequence)
                total += own[sequence] * exp(found)
        return _log(total)

    def best_k(self, n: int, sequence: int) -> list[tuple[int, Any, float]]:
        """The n likeliest pairs of a labelling below and one of this layer, with the logarithms of
        their probabilities."""
        found = []
        for below, (grid, log_z) in enumerate(zip(self.grids, self.log_z, strict=True)):
            weight = float(self.weights[below, sequence])
            if weight > 0:
                base = float(_log(np.array(weight))) - float(log_z[sequence])
                found += [(below, paths[0], base + s) for paths, s in grid.best_k(n, sequence)]
        found.sort(key=lambda one: -one[2])
        return found[:n]


def _log(shares: Scores) -> Scores:
    """Of shares that may be 0."""
    return np.asarray(log(np.maximum(shares, np.finfo(float).tiny)))
