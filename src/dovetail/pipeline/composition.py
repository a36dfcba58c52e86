"""What a pipeline is made of: layers and representations, and their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from dovetail.base import Estimator, clone
from dovetail.base.annotator import Annotator
from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError
from dovetail.pipeline.layers.layer import Layer, check_fitted, layer_named, weigh_layers
from dovetail.pipeline.representations import split_representations

if TYPE_CHECKING:
    from dovetail.multitask import LinearTagger
    from dovetail.representation import Representation

    Part: TypeAlias = Tagger | LinearTagger | Annotator | Representation


class Composition(Estimator):
    """Layers in order, and representations that are their inputs.

    What is given stays as it is, since clones of it are trained: ``layers`` has the trained ones,
    and the parameters are those of what was given.
    """

    fitted_by = None

    # Parameters

    def _take_parts(
        self, parts: Mapping[str, Part] | Sequence[Part], weights: Mapping[str, float] | None
    ) -> None:
        self.layers, self.representations = split_representations(parts, weights)
        self._untrained = {layer.name: layer.annotator for layer in self.layers}
        self._checked = False

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of the layers, as ``ner__c2``."""
        parts: dict[str, Any] = {one.name_: one for one in self.representations}
        parts |= {name: self._untrained[name].source for name in self.names}
        weights = {name: weight for name, weight in self.weights.items() if weight != 1.0}
        return {**super().get_params(deep), "layers": parts, "weights": weights or None}

    def clone(self) -> Self:
        """The same with layers that are not trained. Representations are inputs, and stay."""
        parameters = self.get_params(deep=False)
        kept = {one.name_: one for one in self.representations}
        return type(self)(**{**parameters, "layers": {**clone(parameters["layers"]), **kept}})

    def _components(self) -> dict[str, Estimator]:
        named = {name: self._untrained[name].source for name in self.names}
        return {name: part for name, part in named.items() if isinstance(part, Estimator)}

    def _set(self, name: str, value: Any) -> None:
        if name == "layers":
            self._replace_parts(value)
        elif name in self.names:
            if value is not self._untrained[name].source:
                parts = {one.name_: one for one in self.representations}
                parts |= {other: self._untrained[other].source for other in self.names}
                self._replace_parts({**parts, name: value})
        elif name == "weights":
            if not isinstance(value, Mapping | None):
                raise DataError(f"weights is {value!r}; give a number for each layer by its name")
            self.weights = dict.fromkeys(self.names, 1.0) | dict(value or {})
        else:
            super()._set(name, value)
        self._checked = False

    def _setting_order(self, name: str) -> int:
        """The layers, then each of them, their weights and parameters."""
        return 0 if name == "layers" else 1 + name.count("__")

    def _replace_parts(self, parts: Mapping[str, Part] | Sequence[Part]) -> None:
        """Take other layers; those of the same name keep their weights."""
        before = self.weights
        self._take_parts(parts, None)
        self.weights = {name: before[name] for name in self.names if name in before}

    # Layers

    @property
    def is_fitted(self) -> bool:
        """Whether all layers are trained, as far as they can be."""
        return all(layer.annotator.is_fitted for layer in self.layers)

    @property
    def names(self) -> list[str]:
        """Names of the layers, from the first to the last."""
        return [layer.name for layer in self.layers]

    @property
    def weights(self) -> dict[str, float]:
        """Factors on the layers' scores in joint decoding."""
        return {layer.name: layer.weight for layer in self.layers}

    @weights.setter
    def weights(self, given: Mapping[str, float]) -> None:
        self.layers = weigh_layers(self.layers, given)

    def __getitem__(self, name: str) -> Any:
        """The tagger, or other annotator, of that name: after training the trained one."""
        return layer_named(name, self.layers).annotator.source

    def check(self) -> None:
        """Make sure that all layers are trained, and know what those below them may say."""
        if not self._checked:
            check_fitted(self.layers)
            self._checked = True

    # Copies

    def with_weights(self, **weights: float) -> Self:
        """The same layers under other weights."""
        return self.with_layers(weigh_layers(self.layers, weights))

    def with_layers(self, layers: Sequence[Layer]) -> Self:
        """The same settings and representations with these layers. Parameters can be changed, and
        layers trained, without effect on this pipeline."""
        other = object.__new__(type(self))
        for name, value in self.__dict__.items():
            other.__dict__[name] = value.copy() if isinstance(value, list | dict) else value
        other._untrained = {name: layer.copy() for name, layer in self._untrained.items()}
        copies = {id(self._untrained[name]): layer for name, layer in other._untrained.items()}
        other.layers = [
            replace(layer, annotator=copies.get(id(layer.annotator), layer.annotator))
            for layer in layers
        ]
        for layer in other.layers:
            other._untrained.setdefault(layer.name, layer.annotator)
        other._checked = False
        return other
