"""Columns of labelled training text that have not seen its labels.

With a bias by labels, the emissions of a word have learned from the labels of its own tokens, and a
tagger would find the states of its training text more telling than those of new text. Here each
sequence is decoded as if it were new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError
from dovetail.numeric import matmul
from dovetail.representation.annotation import joined_text
from dovetail.representation.biased_em import Tilt
from dovetail.representation.parameters import Floats, Parameters, emission_update
from dovetail.representation.properties import Domains, Entropy
from dovetail.representation.text import Costs, Text

if TYPE_CHECKING:
    from dovetail.representation.biased import BiasedHMM

AT_ONCE = 50_000  # tokens
SEEN = 1e-6  # a word with fewer expected tokens elsewhere says nothing


def left_out(hmm: BiasedHMM, domains: Domains) -> Column:
    """Decode each sequence of the source with its own expected counts taken out of emissions."""
    at = hmm.for_decoding
    text = joined_text(domains.corpora, hmm.column, hmm.vocabulary_)
    tilt = Tilt.remembered(*hmm.biases(domains), hmm.memory_)
    costs = tilt.now()
    counts = hmm.engine.expected(text, at, costs).counts.emissions
    columns = []
    for sequences in _parts(domains.source):
        part, rows = text.select(sequences)
        own = hmm.engine.marginals(part, at, costs.select(rows)).astype(np.float64)
        logs = _without_own(part, own, counts, emission_update(*_rule(hmm), text.n_words))
        columns.append(_decoded(hmm, part, at, logs))
    return type(columns[0]).concatenate(columns)


def _rule(hmm: BiasedHMM) -> tuple[Any, float]:
    return hmm.update, hmm.prior


def _parts(corpus: Corpus) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers of sequences, so many tokens at a time."""
    part = corpus.bounds[:-1] // AT_ONCE
    for number in np.unique(part):
        yield np.flatnonzero(part == number)


def _without_own(text: Text, own: Floats, counts: Floats, log_emissions: Any) -> Floats:
    """Logarithms of emissions at each token, as the counts of other sequences give them."""
    bounds: npt.NDArray[np.int64] = text.bounds.astype(np.int64)
    lengths = bounds[1:] - bounds[:-1]
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    pairs, place = np.unique(sequence * np.int64(text.n_words) + text.words, return_inverse=True)
    of_word = np.zeros((len(pairs), own.shape[1]))
    np.add.at(of_word, place, own)
    of_sequence = np.zeros((len(lengths), own.shape[1]))
    np.add.at(of_sequence, sequence, own)
    others = np.maximum(counts[pairs % text.n_words] - of_word, 0.0)
    totals = np.maximum(counts.sum(axis=0) - of_sequence[pairs // text.n_words], SEEN)
    logs = log_emissions(others, totals)
    logs[others.sum(axis=1) < SEEN] = 0.0
    return np.asarray(np.maximum(logs, -1e4)[place])


def _decoded(hmm: BiasedHMM, text: Text, at: Parameters, logs: Floats) -> Column:
    """The column of tokens that have emissions of their own."""
    alike = Parameters(at.start, at.transitions, np.ones((1, at.n_states)))
    unnamed = Text.of(np.zeros(text.n_tokens), text.bounds, 1)
    costs = Costs(each=np.ascontiguousarray(-logs, dtype=np.float32))
    return hmm.column_of(unnamed, alike, costs)


class Refitted(Protocol):
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


def cross_fitted(model: Refitted, domains: Domains, folds: int, seed: int) -> Column:
    """Decode each part of the source by a model that was trained with that part's labels hidden,
    and whose states have the numbers of those that they are most like."""
    n = len(domains.source)
    if not 2 <= folds <= n:
        raise DataError(f"{n} sequences cannot be parted into {folds} folds")
    fold = np.empty(n, np.int64)
    fold[np.random.default_rng(seed).permutation(n)] = np.arange(n) % folds
    labels = [p.column for p in model.properties if isinstance(p, Entropy)]
    lengths: npt.NDArray[np.int64] = np.diff(domains.source.bounds)
    known = model.by_word(domains.corpora)
    found: list[Column] = []
    order: list[npt.NDArray[np.int64]] = []
    for number in range(folds):
        hidden = np.repeat(fold == number, lengths)
        other = copy(model)
        other.fit(_hidden(domains.source, labels, hidden), domains.target)
        other.reorder(matched(known, other.by_word(domains.corpora)))
        part = domains.source.select(np.flatnonzero(fold == number))
        found.append(other.columns(part)[other.name])
        order.append(np.flatnonzero(hidden))
    joined = type(found[0]).concatenate(found)
    return joined[np.argsort(np.concatenate(order), kind="stable")]


def matched(known: Floats, other: Floats) -> npt.NDArray[np.int64]:
    """Which state of another model is most like each one of a known model: one for each, so that
    as many tokens as possible are in both, [words x states]."""
    from scipy.optimize import linear_sum_assignment

    seen = np.maximum(other.sum(axis=1, keepdims=True), 1e-12)
    _, order = linear_sum_assignment(matmul(known.T, other / seen), maximize=True)
    return np.asarray(order, np.int64)


def _hidden(corpus: Corpus, names: list[str], hidden: npt.NDArray[np.bool_]) -> Corpus:
    for name in names:
        column = corpus.column(name)
        corpus = corpus.with_column(name, Column(np.where(hidden, -1, column.codes), column.levels))
    return corpus
