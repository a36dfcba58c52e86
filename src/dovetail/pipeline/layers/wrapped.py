"""A tagger, of whatever kind, as a layer of a pipeline."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

from dovetail.base import Estimator
from dovetail.pipeline.layers.annotator import TrainableAnnotator

AnyTagger = TypeVar("AnyTagger", bound=Any)


class WrappedTagger(TrainableAnnotator, Generic[AnyTagger]):
    """An annotator that answers as its tagger does."""

    def __init__(self, tagger: AnyTagger) -> None:
        self.tagger = tagger

    @property
    def labels_(self) -> list[str]:
        return list(self.tagger.labels_)

    @property
    def reads_(self) -> tuple[str, ...]:
        return tuple(self.tagger.reads_)

    @property
    def source(self) -> AnyTagger:
        return self.tagger

    @property
    def is_fitted(self) -> bool:
        return bool(self.tagger.is_fitted)

    @property
    def features(self) -> Any:
        return self.tagger.features

    def set_features(self, features: Any) -> None:
        self.tagger.features = features

    @property
    def is_saveable(self) -> bool:
        return True

    def copy(self) -> Self:
        """The same tagger, trained if it is, whose parameters can be changed independently."""
        other = _copy(self)
        other.tagger = _copy(self.tagger)
        return other


Copied = TypeVar("Copied", bound="Estimator | TrainableAnnotator")


def _copy(one: Copied) -> Copied:
    """Another object with the same attributes; unlike `copy.copy`, it does not copy the model."""
    other = object.__new__(type(one))
    other.__dict__.update(one.__dict__)
    return other
