"""Columns of labelled training text by models that were trained with its labels hidden.

With a bias by labels, the representation of a word has learned from the labels of its own tokens,
and a tagger would find the columns of its training text more telling than those of new text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError
from dovetail.numeric import matmul
from dovetail.representation.bias.property import Domains
from dovetail.representation.text import Floats


class Refittable(Protocol):
    """A representation of words that can be learned again with some labels hidden."""

    name: str
    properties: tuple[Any, ...]

    def fit(self, source: Corpus, target: Corpus | None = None) -> Any:
        """Learn from text."""

    def columns(self, corpus: Corpus) -> Mapping[str, Column]:
        """Its columns for a corpus."""

    def by_word(self, corpora: Sequence[Corpus]) -> Floats:
        """How often words of a text are expected in each state, [words x states]."""

    def reorder(self, order: npt.NDArray[np.int64]) -> None:
        """Give the states other numbers."""


def cross_fit(model: Refittable, domains: Domains, folds: int, seed: int) -> Column:
    """Decode each part of the source by a model that was trained with that part's labels hidden,
    and whose states have the numbers of those that they are most like."""
    n = len(domains.source)
    if not 2 <= folds <= n:
        raise DataError(f"{n} sequences cannot be parted into {folds} folds")
    fold = np.empty(n, np.int64)
    fold[np.random.default_rng(seed).permutation(n)] = np.arange(n) % folds
    labels = [name for p in model.properties for name in p.label_columns]
    lengths: npt.NDArray[np.int64] = np.diff(domains.source.bounds)
    known = model.by_word(domains.corpora)
    found: list[Column] = []
    order: list[npt.NDArray[np.int64]] = []
    for number in range(folds):
        hidden = np.repeat(fold == number, lengths)
        other = copy(model)
        other.fit(_hide_labels(domains.source, labels, hidden), domains.target)
        other.reorder(match_states(known, other.by_word(domains.corpora)))
        part = domains.source.select(np.flatnonzero(fold == number))
        found.append(other.columns(part)[other.name])
        order.append(np.flatnonzero(hidden))
    joined = type(found[0]).concatenate(found)
    return joined[np.argsort(np.concatenate(order), kind="stable")]


def match_states(known: Floats, other: Floats) -> npt.NDArray[np.int64]:
    """Which state of another model is most like each one of a known model: one for each, so that
    as many tokens as possible are in both, [words x states]."""
    from scipy.optimize import linear_sum_assignment

    seen = np.maximum(other.sum(axis=1, keepdims=True), 1e-12)
    _, order = linear_sum_assignment(matmul(known.T, other / seen), maximize=True)
    return np.asarray(order, np.int64)


def _hide_labels(corpus: Corpus, names: list[str], hidden: npt.NDArray[np.bool_]) -> Corpus:
    for name in names:
        column = corpus.column(name)
        corpus = corpus.with_column(name, Column(np.where(hidden, -1, column.codes), column.levels))
    return corpus
