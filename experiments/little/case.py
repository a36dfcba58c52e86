"""A task of which little labelled text is there, a part to test on, and a tagger that may help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dovetail import Corpus, Tagger
from dovetail.corpus import labels_from_spans, spans

WORD, LABEL = "word", "label"
N_TESTED = 600  # sequences; of longer test parts chance takes so many, always the same ones
LARGEST = 300  # sequences to train on
SEED = 0
Lists = Sequence[Sequence[str | None]]
Parts = tuple[Corpus, Corpus]


@dataclass(frozen=True)
class OldTagger:
    """A tagger that others' text has trained: the name of the column that it writes, the labelled
    text where it is at hand, and a fingerprint of all that the tagger depends on."""

    name: str
    tagger: Tagger
    fingerprint: str
    text: Callable[[], Corpus] | None = None


@dataclass(frozen=True)
class LittleCase:
    """What is to be learnt, with which old tagger.

    ``read`` gives the text to draw from and the text to test on, when they are first needed.
    ``same`` says which types of the old tagger mean which of the new ones, where their names
    agree. ``data_fingerprint`` stands for the data.
    """

    name: str
    read: Callable[[], Parts]
    data_fingerprint: str
    old: OldTagger | None = None
    same: Mapping[str, str] = field(default_factory=dict)
    largest: int = LARGEST
    n_tested: int = N_TESTED

    @cached_property
    def _parts(self) -> Parts:
        pool, test = (plain(part) for part in self.read())
        return pool, some(test, self.n_tested)

    @property
    def pool(self) -> Corpus:
        """All sequences that may be trained on."""
        return self._parts[0]

    @property
    def test(self) -> Corpus:
        """The sequences to test on."""
        return self._parts[1]

    def drawn(self, draw: int, size: int) -> Corpus:
        """Random sequences to train on; a larger size of a draw holds a smaller one."""
        order = np.random.default_rng([SEED, draw]).permutation(len(self.pool))
        return self.pool.select(np.sort(order[:size]))

    @property
    def below(self) -> dict[str, Tagger]:
        """The old tagger by its name, if there is one."""
        return {} if self.old is None else {self.old.name: self.old.tagger}


def plain(corpus: Corpus, label: str = LABEL) -> Corpus:
    """Words and labels alone: no documents, no layout, no empty sequences."""
    columns = {WORD: corpus.column(WORD), LABEL: corpus.column(label)}
    whole = Corpus(columns, corpus.bounds)
    return whole.select(np.flatnonzero(np.diff(whole.bounds)))


def some(corpus: Corpus, n: int) -> Corpus:
    """So many sequences that chance takes, always the same ones; all where there are no more."""
    if len(corpus) <= n:
        return corpus
    return corpus.select(np.sort(np.random.default_rng(SEED).permutation(len(corpus))[:n]))


def halves(corpus: Corpus) -> Parts:
    """Two random halves, always the same ones, by documents where there are any."""
    first, second = corpus.split(0.5, SEED)
    return first, second


def retyped(sequences: Lists, types: Mapping[str, str]) -> list[list[str]]:
    """Labels with other types of spans; those for which there is none are O.

    >>> retyped([["B-PER", "I-PER", "B-LOC"]], {"PER": "person"})
    [['B-person', 'I-person', 'O']]
    """
    out = []
    for labels in sequences:
        found = [span for span in spans(labels) if span.label in types]
        renamed = [(span.start, span.end, types[span.label]) for span in found]
        out.append(labels_from_spans(renamed, len(labels)))
    return out
