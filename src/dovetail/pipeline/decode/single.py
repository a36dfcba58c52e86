"""Decoding of layers: one after another, or all at once as a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.grid import Grid
from dovetail.numeric import exp
from dovetail.pipeline.decode.span_decision import SpanDecision
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.linear import LinearLayer
from dovetail.pipeline.layers.potentials import Scores
from dovetail.pipeline.layers.tagger import TaggerLayer

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Known:
    """Labels of a layer that are known beforehand: of each token its number, or -1."""

    codes: Codes

    @property
    def whole(self) -> bool:
        return bool((self.codes >= 0).all())


def known_labels(layer: Layer, corpus: Corpus) -> Known:
    """A column of the corpus as known labels of a layer; missing values are unknown."""
    column = corpus.column(layer.name)
    numbers = {label: k for k, label in enumerate(layer.labels)}
    for code, level in enumerate(column.levels):
        if level not in numbers and (column.codes == code).any():
            raise DataError(
                f"the column '{layer.name}' has the label '{level}', which its tagger does not "
                f"know (it knows {', '.join(layer.labels)})"
            )
    table = np.array([numbers.get(level, -1) for level in column.levels] + [-1], np.int32)
    return Known(table[column.codes])


def best_column(layer: Layer, corpus: Corpus, known: Known | None, threads: int | None) -> Column:
    """The best labels of one layer, in a corpus that has all that it reads."""
    if known is not None and known.whole:
        return Column(known.codes, layer.labels)
    if isinstance(layer.annotator, TaggerLayer | LinearLayer) and known is None:
        return layer.annotator.best(corpus)
    return Column(best_codes(layer, alone(layer, corpus), known, threads), layer.labels)


def probabilities(layer: Layer, corpus: Corpus, threads: int | None) -> Scores:
    """Probabilities of a layer's labels, [tokens x labels]."""
    if isinstance(layer.annotator, TaggerLayer | LinearLayer):
        return layer.annotator.marginals(corpus)
    return alone(layer, corpus).marginals("exact", threads=threads).labels[0]


def alone(layer: Layer, corpus: Corpus) -> Grid:
    """One layer as a grid, all that it reads being known."""
    made = layer.annotator.potentials(corpus, {})
    return Grid([made.node], [made.move], bounds=corpus.bounds)


def decision_of(layer: Layer) -> SpanDecision | None:
    """How a layer chooses spans, where that is not by the likeliest labelling."""
    found: SpanDecision | None = getattr(layer.annotator, "decision", None)
    return found


def best_codes(layer: Layer, grid: Grid, known: Known | None, threads: int | None) -> Codes:
    """The labels that a layer decides on; where some are known, the likeliest that agree."""
    if known is not None:
        grid = grid.clamped(0, known.codes)
    best = grid.best("exact", threads=threads).labels[0]
    decision = decision_of(layer)
    if decision is None or known is not None:
        return best
    return decision.decode(grid, layer.labels, best, threads=threads)


def missing(corpus: Corpus) -> Column:
    """A column without values."""
    return Column(np.full(corpus.n_tokens, -1, np.int32), ())


def soft_column(
    layer: Layer,
    corpus: Corpus,
    lattice: int | None,
    threads: int | None,
    known: Known | None = None,
) -> Column:
    """What passes upward softly: marginals, or the distribution over an n-best list."""
    if lattice is None and known is None:
        return SoftColumn.of(layer.labels, probabilities(layer, corpus, threads))
    grid = alone(layer, corpus)
    if known is not None:
        grid = grid.clamped(0, known.codes)
    if lattice is None:
        return SoftColumn.of(layer.labels, grid.marginals("exact", threads=threads).labels[0])
    weights = np.zeros((corpus.n_tokens, len(layer.labels)))
    for s, (first, last) in enumerate(zip(corpus.bounds[:-1], corpus.bounds[1:], strict=True)):
        if first == last:
            continue
        found = grid.best_k(lattice, sequence=s)
        share = exp(np.array([score for _, score in found]) - found[0][1])
        for (labels, _), weight in zip(found, share / share.sum(), strict=True):
            weights[np.arange(first, last), labels[0]] += weight
    return SoftColumn.of(layer.labels, weights)


Pass = Callable[[Layer, Corpus], Column]


def in_order(layers: Sequence[Layer], corpus: Corpus, passed: Pass) -> Corpus:
    """Each layer in turn writes the column that those after it read."""
    for layer in layers:
        corpus = corpus.with_column(layer.name, passed(layer, corpus))
    return corpus
