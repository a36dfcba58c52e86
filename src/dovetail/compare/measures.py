"""How good a choice is on development text: the likelihood of its labels, and what biases of
representations are to change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.numeric import matmul
from dovetail.representation.bias.bias import conditional_entropy

Floats = npt.NDArray[np.float64]


def label_likelihood(tagger: Tagger, corpus: Corpus, label: str) -> float:
    """Of the labels of a corpus, in nats a token; sequences with labels that the tagger does not
    know are left out."""
    known = set(tagger.labels_)
    sequences = [k for k, own in enumerate(corpus.lists(label)) if known.issuperset(own)]
    part = corpus.select(sequences)
    if not part.n_tokens:
        raise DataError("every sequence of the development text has labels that were not trained")
    labels: list[Any] = part.lists(label)
    return sum(tagger.log_likelihood(part, labels)) / part.n_tokens


def label_entropy(corpus: Corpus, columns: Sequence[str], label: str) -> float:
    """H(label | state) in nats, the mean of all columns of states."""
    labels = level_weights(corpus.column(label))
    joint = [matmul(labels.T, level_weights(corpus.column(name))) for name in columns]
    return float(np.mean([conditional_entropy(counts) for counts in joint]))


def explained_entropy(corpus: Corpus, columns: Sequence[str]) -> float | None:
    """The share of a column's entropy that a later column tells, the mean of all pairs of which
    the earlier one has any."""
    found = [level_weights(corpus.column(name)) for name in columns]
    told = []
    for earlier, later in combinations(found, 2):
        whole = conditional_entropy(earlier.sum(axis=0)[:, None])
        if whole > 0:
            told.append(1 - conditional_entropy(matmul(earlier.T, later)) / whole)
    return float(np.mean(told)) if told else None


def state_usage(corpus: Corpus, columns: Sequence[str]) -> list[Floats]:
    """How often each state of each column is used."""
    found = [level_weights(corpus.column(name)).sum(axis=0) for name in columns]
    return [totals / totals.sum() for totals in found]


def usage_distance(here: Sequence[Sequence[Floats]], there: Sequence[Sequence[Floats]]) -> float:
    """The L1 distance of the uses of states in some corpora and in others, which all count the
    same: the mean of all columns, between 0 and 2."""
    means = [[np.mean(own, axis=0) for own in zip(*uses, strict=True)] for uses in (here, there)]
    return float(np.mean([np.abs(a - b).sum() for a, b in zip(*means, strict=True)]))


def level_weights(column: Column) -> Floats:
    """The weights of a column's levels at each token: those of a soft column, or 0 and 1."""
    if isinstance(column, SoftColumn):
        return column.weights.astype(np.float64)
    out = np.zeros((len(column), len(column.levels)))
    present = np.flatnonzero(column.codes >= 0)
    out[present, column.codes[present]] = 1.0
    return out
