"""An annotator of the user's own as a layer of a pipeline."""

from __future__ import annotations

from typing import Any

from dovetail.base.annotator import Annotator, Latent
from dovetail.base.potentials import Potentials
from dovetail.corpus import Corpus
from dovetail.pipeline.layers.annotator import LayerAnnotator


class CustomLayer(LayerAnnotator):
    """Anything that is an `Annotator`.

    It may have a method ``reads_guesses(latent)`` too, where it reads latent columns that joint
    decoding cannot follow.
    """

    def __init__(self, annotator: Annotator) -> None:
        self.annotator = annotator

    @property
    def labels_(self) -> list[str]:
        return self.annotator.labels_

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.annotator.reads_

    @property
    def source(self) -> Annotator:
        return self.annotator

    @property
    def is_fitted(self) -> bool:
        return bool(getattr(self.annotator, "is_fitted", True))

    def reads_guesses(self, latent: Latent) -> bool:
        asked: Any = getattr(self.annotator, "reads_guesses", None)
        return bool(asked and asked(latent))

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        return self.annotator.potentials(corpus, latent)
