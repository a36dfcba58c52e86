"""A linear tagger as a layer of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Column, Corpus
from dovetail.io.loading import load
from dovetail.numeric import log
from dovetail.pipeline.layers.wrapped import WrappedTagger

if TYPE_CHECKING:
    from dovetail.multitask import LinearTagger
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter

KIND = "linear tagger"
LEAST = 1e-12  # probability, so that its logarithm is finite


def is_linear_tagger(annotator: object) -> TypeGuard[LinearTagger]:
    """By what it says it is: so most pipelines, which have none, need not load the class."""
    return getattr(annotator, "kind", None) == KIND


class LinearLayer(WrappedTagger["LinearTagger"]):
    """A linear tagger as an annotator: logarithms of probabilities, and transitions that cost
    nothing."""

    @property
    def notes(self) -> list[str]:
        return list(self.tagger.training_.get("notes", ()))

    @property
    def has_probabilities(self) -> bool:
        """Whether it is, or will be, calibrated."""
        if self.tagger.is_fitted:
            return self.tagger.factor_ is not None
        return self.tagger.calibrate

    def clone(self) -> LinearLayer:
        return LinearLayer(self.tagger.clone())

    def clone_for_fold(self) -> LinearLayer:
        return LinearLayer(self.tagger.fresh())

    def fit(self, corpus: Corpus, label: str, callback: Any = None) -> None:  # noqa: ARG002
        """Train it; there is nothing to report on the way."""
        self.tagger.fit(corpus, label=label)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """Scores of labels. Columns that are latent are read as the corpus has them."""
        n = len(self.labels_)
        node = log(np.maximum(self.tagger.marginals(corpus), LEAST))
        return Potentials(tuple(self.labels_), node, np.zeros((n, n)))

    def reads_guesses(self, latent: Latent) -> bool:
        return not set(latent).isdisjoint(self.reads_)

    def best(self, corpus: Corpus) -> Column:
        return self.tagger.column(corpus)

    def marginals(self, corpus: Corpus, threads: int | None) -> Scores:  # noqa: ARG002
        return self.tagger.marginals(corpus)

    def describe(self) -> dict[str, Any]:
        return {"kind": self.tagger.kind, "reads": list(self.reads_)}

    def spec(self, parts: PartsWriter) -> dict[str, Any]:
        return {"kind": "linear", "array": parts.add("linear", self.tagger.to_bytes())}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], parts: PartsReader) -> LinearLayer:
        file = parts.open(spec)
        file.check_kind(KIND)
        return cls(load(file, threads=parts.threads))
