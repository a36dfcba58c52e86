"""Decoding of one layer, in a corpus that has all columns it reads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.grid import Grid
from dovetail.numeric import exp
from dovetail.pipeline.decode.span_decision import SpanDecision
from dovetail.pipeline.layers.known import Codes, Known
from dovetail.pipeline.layers.layer import Layer


def best_column(layer: Layer, corpus: Corpus, known: Known | None, threads: int | None) -> Column:
    """The labels that a layer decides on."""
    if known is not None and known.is_complete:
        return Column(known.codes, layer.labels)
    column = layer.annotator.best(corpus) if known is None else None
    if column is not None:
        return column
    return Column(best_codes(layer, layer.annotator.grid(corpus), known, threads), layer.labels)


def best_codes(layer: Layer, grid: Grid, known: Known | None, threads: int | None) -> Codes:
    """The labels that a layer decides on; where some are known, the likeliest that agree."""
    if known is not None:
        grid = grid.clamp(0, known.codes)
    best = grid.best("exact", threads=threads).labels[0]
    threshold = layer.annotator.span_threshold
    if threshold is None or known is not None:
        return best
    return SpanDecision(threshold).decode(grid, layer.labels, best, threads=threads)


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
        return SoftColumn.of(layer.labels, layer.annotator.marginals(corpus, threads))
    grid = layer.annotator.grid(corpus)
    if known is not None:
        grid = grid.clamp(0, known.codes)
    if lattice is None:
        return SoftColumn.of(layer.labels, grid.marginals("exact", threads=threads).labels[0])
    weights = np.zeros((corpus.n_tokens, len(layer.labels)))
    for s, (first, last) in enumerate(pairwise(corpus.bounds.tolist())):
        if first == last:
            continue
        ranked = grid.best_k(lattice, sequence=s)
        share = exp(np.array([score for _, score in ranked]) - ranked[0][1])
        for (labels, _), weight in zip(ranked, share / share.sum(), strict=True):
            weights[np.arange(first, last), labels[0]] += weight
    return SoftColumn.of(layer.labels, weights)
