"""A linear tagger as a layer of a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from dovetail.corpus import Column, Corpus
from dovetail.numeric import log
from dovetail.pipeline.layers.potentials import Potentials, Scores

if TYPE_CHECKING:
    from dovetail.multitask import LinearTagger
    from dovetail.pipeline.layers.annotator import Latent

LEAST = 1e-12  # probability, so that its logarithm is finite


def is_linear_tagger(annotator: object) -> TypeGuard[LinearTagger]:
    """By what it says it is: so most pipelines, which have none, need not load the class."""
    return getattr(annotator, "kind", None) == "linear tagger"


class LinearLayer:
    """A linear tagger as an annotator: logarithms of probabilities, and moves that cost nothing."""

    def __init__(self, tagger: LinearTagger) -> None:
        self.tagger = tagger

    @property
    def labels_(self) -> list[str]:
        return self.tagger.labels_

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.tagger.reads_

    @property
    def notes(self) -> list[str]:
        """What its training has to tell."""
        return list(self.tagger.training_.get("notes", ()))

    @property
    def has_probabilities(self) -> bool:
        """Whether it has, or will have, more than scores."""
        if self.tagger.is_fitted:
            return self.tagger.factor_ is not None
        return self.tagger.calibrate

    def fresh(self) -> LinearLayer:
        """The same settings, not trained."""
        return LinearLayer(self.tagger.fresh())

    def fit(self, corpus: Corpus, label: str, callback: Any = None) -> None:  # noqa: ARG002
        """Train it on a column of a corpus. There is nothing to report on the way."""
        self.tagger.fit(corpus, label=label)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """Scores of labels. Columns that are latent are read as the corpus has them."""
        n = len(self.labels_)
        node = log(np.maximum(self.marginals(corpus), LEAST))
        return Potentials(tuple(self.labels_), node, np.zeros((n, n)))

    def reads_guesses(self, latent: Latent) -> bool:
        """Whether it needs guesses at what is latent."""
        return not set(latent).isdisjoint(self.reads_)

    def best(self, corpus: Corpus) -> Column:
        """The best labels of a corpus that has all columns it reads."""
        return self.tagger.column(corpus)

    def marginals(self, corpus: Corpus) -> Scores:
        """Probabilities of its labels, [tokens x labels]."""
        return self.tagger.marginals(corpus)
