"""The layers of a pipeline: annotators under names, in an order in which each can read what others
wrote."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError, NotFittedError
from dovetail.features.latent import known_values
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.conversion import as_annotator

if TYPE_CHECKING:
    from dovetail.features import Template

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Layer:
    """An annotator and the column that it writes; ``weight`` is on its scores in joint decoding."""

    name: str
    annotator: LayerAnnotator
    weight: float = 1.0

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.annotator.labels_)

    def reads(self, below: Sequence[Layer]) -> list[Layer]:
        """Those of the layers before it whose columns it reads."""
        names = self.annotator.reads_
        return [layer for layer in below if layer.name in names]


def layer_named(name: str, layers: Sequence[Layer]) -> Layer:
    """The layer of that name."""
    found = next((layer for layer in layers if layer.name == name), None)
    if found is None:
        names = ", ".join(layer.name for layer in layers)
        raise DataError(f"there is no task '{name}'; there are {names}")
    return found


def make_layers(
    given: Mapping[str, Any] | Sequence[Any], weights: Mapping[str, float] | None
) -> list[Layer]:
    """Layers in an order in which each reads only earlier ones; fails where there is none."""
    named = list(given.items()) if isinstance(given, Mapping) else [(_name_of(a), a) for a in given]
    layers = [Layer(name, _annotator(name, annotator)) for name, annotator in named]
    names = [layer.name for layer in layers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            f"two tasks are called '{twice}': give each a name, Pipeline({{'{twice}': ..., ...}})"
        )
    if not layers:
        raise DataError("a pipeline needs at least one tagger, or another annotator with labels")
    return sort_layers(weigh_layers(layers, weights or {}))


def weigh_layers(layers: Sequence[Layer], weights: Mapping[str, float]) -> list[Layer]:
    """The layers with these weights; those of layers that are not named stay."""
    names = [layer.name for layer in layers]
    for name, weight in weights.items():
        if name not in names:
            raise DataError(f"there is no task '{name}' to weigh; there are {', '.join(names)}")
        if not (np.isfinite(weight) and weight >= 0):
            raise DataError(f"the weight of '{name}' is {weight}; give a number of at least 0")
    return [replace(layer, weight=weights.get(layer.name, layer.weight)) for layer in layers]


def _name_of(annotator: Any) -> str:
    is_fitted = getattr(annotator, "is_fitted", True)
    name = getattr(annotator, "label_column_", None) if is_fitted else None
    if not isinstance(name, str):
        raise DataError(
            "this annotator does not say which column it writes: give names, "
            "Pipeline({'name': annotator, ...})"
        )
    return name


def _annotator(name: str, given: Any) -> LayerAnnotator:
    try:
        return as_annotator(given)
    except DataError as error:
        raise DataError(f"'{name}': {error}") from None


def sort_layers(layers: Sequence[Layer]) -> list[Layer]:
    """Stable: the given order, but for layers that come before what they read."""
    out: list[Layer] = []
    waiting = list(layers)
    while waiting:
        names = {layer.name for layer in waiting}
        ready = next(
            (w for w in waiting if not (set(w.annotator.reads_) & (names - {w.name}))), None
        )
        if ready is None:
            raise DataError(
                "the tasks read one another in a circle: " + " -> ".join(_circle(waiting))
            )
        if ready.name in ready.annotator.reads_:
            raise DataError(f"the task '{ready.name}' reads the column that it writes")
        waiting.remove(ready)
        out.append(ready)
    return out


def _circle(layers: list[Layer]) -> list[str]:
    readers = {layer.name: layer.annotator.reads_ for layer in layers}
    path = [layers[0].name]
    while path[-1] not in path[:-1]:
        path.append(next(name for name in readers[path[-1]] if name in readers))
    return path[path.index(path[-1]) :]


def check_fitted(layers: Sequence[Layer]) -> None:
    """All layers must be trained, and know the labels of those below them."""
    for k, layer in enumerate(layers):
        if not layer.annotator.is_fitted:
            raise NotFittedError(f"the task '{layer.name}' has not been trained: call fit")
        for tagger in layer.annotator.taggers:
            _check_known_labels(layer.name, tagger, layers[:k])


def _check_known_labels(name: str, tagger: Tagger, below: Sequence[Layer]) -> None:
    """Say so where a tagger has never seen labels that a layer below it may give."""
    template = tagger.template_
    if template is None:
        return
    for lower in (lower for lower in below if lower.name in template.columns):
        known = known_values(template, tagger.model_.native, lower.name, lower.labels)
        if known is None:
            continue
        unknown = [label for label in lower.labels if label not in known]
        if not known and _reads_other_values(tagger, template, lower.name):
            raise DataError(
                f"'{name}' reads the column '{lower.name}', but knows none of the labels of "
                f"the tagger that writes it ({', '.join(lower.labels[:4])} ...): it was trained on "
                "another one's"
            )
        if unknown:
            logger.info(
                "'%s' has no weights for these labels of '%s': %s",
                name,
                lower.name,
                ", ".join(unknown),
            )


def _reads_other_values(tagger: Tagger, template: Template, column: str) -> bool:
    """Whether a tagger has weights for some value of a column."""
    rows = {
        row.name for row in template.rows if {p.attribute.column for p in row.parts} == {column}
    }
    return any(name.partition("=")[0] in rows for name in tagger.model_.names)
