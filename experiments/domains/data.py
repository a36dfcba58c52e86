"""Text of several domains: what is labelled, what is only read, and what is tested on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dovetail import Corpus, Template
from experiments.readers.genres import Genres


@dataclass(frozen=True)
class DomainData:
    """A task in a source domain, to be done in others.

    ``train`` and ``development`` are labelled text of the source, in the column ``label``; settings
    are chosen on the second. ``text`` is of the target domains, to be read without labels. Nothing
    is learnt from ``tests``.
    """

    train: Corpus
    development: Corpus
    text: Corpus
    tests: Mapping[str, Corpus]
    label: str
    features: Template


def genre_data(
    genres: Genres,
    label: str,
    features: Template,
    *,
    seed: int = 0,
    n_labelled: int | None = None,
    n_read: Mapping[str, int] | None = None,
) -> DomainData:
    """The task, or one with so many labelled tokens, and tokens of each genre to read, in
    sentences that are drawn at random."""
    train = genres.train if n_labelled is None else drawn(genres.train, n_labelled, seed)
    texts = (
        genres.texts
        if n_read is None
        else {genre: drawn(text, n_read[genre], seed) for genre, text in genres.texts.items()}
    )
    text = Corpus.concatenate(texts.values()).without_column(label)
    return DomainData(train, genres.development, text, genres.tests, label, features)


def drawn(corpus: Corpus, n_tokens: int, seed: int) -> Corpus:
    """Random sentences of a corpus, in their order, with about so many tokens."""
    order = np.random.default_rng(seed).permutation(len(corpus))
    ends = np.cumsum(np.diff(corpus.bounds)[order])
    n = int(np.searchsorted(ends, n_tokens)) + 1
    return corpus.select(np.sort(order[:n]))
