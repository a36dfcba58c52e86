"""Columns of labelled training text that have not seen its labels, without training anew.

With a bias by labels, the emissions of a word have learned from the labels of its own tokens, and a
tagger would find the states of its training text more telling than those of new text. Here each
sequence is decoded as if it were new.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus
from dovetail.representation.annotation import join_text
from dovetail.representation.bias.property import Domains
from dovetail.representation.hmm.biased.em import BiasState
from dovetail.representation.hmm.inference import Costs
from dovetail.representation.hmm.parameters import Emit, Parameters, emission_update
from dovetail.representation.text import Floats, Text

if TYPE_CHECKING:
    from dovetail.representation.hmm.biased.biased import BiasedHMM

AT_ONCE = 50_000  # tokens
SEEN = 1e-6  # a word with fewer expected tokens elsewhere says nothing


def decode_left_out(hmm: BiasedHMM, domains: Domains) -> Column:
    """Decode each sequence of the source with its own expected counts taken out of emissions."""
    at = hmm.for_decoding
    text = join_text(domains.corpora, hmm.column, hmm.vocabulary_)
    state = BiasState.restore(*hmm.biases(domains), hmm.memory_)
    if state.needs_posteriors:
        known = hmm.engine.marginals(text, at, state.current_costs())
        state.posteriors = known.astype(np.float32)
    costs = state.current_costs()
    counts = hmm.engine.expected(text, at, costs).counts.emissions
    log_emissions = emission_update(hmm.update, hmm.prior, text.n_words)
    columns = []
    for sequences in _parts(domains.source):
        part, rows = text.select(sequences)
        own = hmm.engine.marginals(part, at, costs.select(rows)).astype(np.float64)
        logs = _emissions_without_own(part, own, counts, log_emissions)
        columns.append(_decode(hmm, part, at, logs))
    return type(columns[0]).concatenate(columns)


def _parts(corpus: Corpus) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers of sequences, so many tokens at a time."""
    part = corpus.bounds[:-1] // AT_ONCE
    for number in np.unique(part):
        yield np.flatnonzero(part == number)


def _emissions_without_own(text: Text, own: Floats, counts: Floats, log_emissions: Emit) -> Floats:
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


def _decode(hmm: BiasedHMM, text: Text, at: Parameters, logs: Floats) -> Column:
    """The column of tokens that have emissions of their own."""
    alike = Parameters(at.start, at.transitions, np.ones((1, at.n_states)))
    unnamed = Text.of(np.zeros(text.n_tokens), text.bounds, 1)
    costs = Costs(each=np.ascontiguousarray(-logs, dtype=np.float32))
    return hmm.column_of(unnamed, alike, costs)
