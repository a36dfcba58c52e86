"""A linear tagger as a layer of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Column, Corpus
from dovetail.features.latent import LatentTemplate
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
    nothing. In joint decoding these are probabilities given each label of a column below."""

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

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """Scores of labels, for each label of latent columns that are read at the token itself.
        Elsewhere these are read as the corpus has them."""
        n = len(self.labels_)
        split = LatentTemplate(self.tagger.template_, latent, tokens_alone=True)
        labels, transitions = tuple(self.labels_), np.zeros((n, n))
        if not split.cotemporal or not self.has_probabilities:
            node = log(np.maximum(self.tagger.marginals(corpus), LEAST))
            return Potentials(labels, node, transitions)
        found = split.scores(self.tagger.weights_.native, corpus)
        names = tuple(name for name in split.latent if any(name in k for k in found.cotemporal))
        sizes = [len(split.latent[name]) for name in names]
        scores = np.broadcast_to(
            found.node.reshape(len(found.node), *(1 for _ in names), n),
            (len(found.node), *sizes, n),
        )
        for own, each in found.cotemporal.items():
            shape = [len(split.latent[name]) if name in own else 1 for name in names]
            scores = scores + each.reshape(len(each), *shape, n)
        shares = self.tagger.probabilities_of(scores.reshape(-1, n)).reshape(scores.shape)
        given = log(np.maximum(shares, LEAST))
        return Potentials(labels, np.zeros_like(found.node), transitions, {names: given})

    def reads_guesses(self, latent: Latent) -> bool:
        if not self.tagger.is_fitted:
            return not set(latent).isdisjoint(self.reads_)
        return LatentTemplate(self.tagger.template_, latent, tokens_alone=True).reads_guesses

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
