"""Training text with scores of models that have not seen it: what choices are made on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials
from dovetail.corpus import Corpus
from dovetail.grid import Grid


@dataclass(frozen=True)
class HeldOut:
    """A part of the training text, its true labels in a column, and scores of models that were
    trained on the rest. It is an annotator of that text alone."""

    corpus: Corpus
    label: str
    scores: Potentials

    @property
    def labels_(self) -> list[str]:
        return list(self.scores.labels)

    @property
    def reads_(self) -> tuple[str, ...]:
        return ()

    @property
    def grid(self) -> Grid:
        """The scores as a grid of one layer."""
        return Grid([self.scores.node], [self.scores.transitions], bounds=self.corpus.bounds)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """The scores, for the whole text."""
        assert corpus.n_tokens == len(self.scores.node)
        return self.scores

    def select(self, numbers: Sequence[int]) -> HeldOut:
        """Some of the sequences."""
        bounds = self.corpus.bounds
        rows = np.concatenate(
            [np.empty(0, np.int64), *(np.arange(bounds[n], bounds[n + 1]) for n in numbers)]
        )
        own = self.scores
        into = own.transitions if own.transitions.ndim == 2 else own.transitions[rows]
        scores = Potentials(own.labels, own.node[rows], into)
        return HeldOut(self.corpus.select(numbers), self.label, scores)
