"""Layers, and the labels of their spans: their names, keys and hues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.errors import DataError

HUES = (210, 25, 140, 330, 50, 270, 180, 0, 95, 300)  # neighbours far apart


@dataclass(frozen=True)
class Label:
    """A label with the key that gives it and the hue that shows it."""

    name: str
    key: str
    hue: int


@dataclass(frozen=True)
class Layer:
    """One task: labels whose spans do not overlap one another."""

    name: str
    labels: tuple[Label, ...]

    @classmethod
    def of(cls, name: str, labels: Iterable[str], first: int = 0) -> Layer:
        """A layer with these labels, their keys and hues chosen; the hues from the ``first`` one
        on, so that layers differ."""
        names = tuple(labels)
        _check_names(name, names)
        keys = "123456789"
        return cls(
            name,
            tuple(
                Label(
                    label,
                    keys[number] if number < len(keys) else "",
                    HUES[(first + number) % len(HUES)],
                )
                for number, label in enumerate(names)
            ),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the labels."""
        return tuple(label.name for label in self.labels)

    def to_dict(self) -> dict[str, Any]:
        """The layer as the page has it."""
        return {"name": self.name, "labels": [vars(label) for label in self.labels]}


def make_layers(labels: Mapping[str, Iterable[str]]) -> list[Layer]:
    """Layers with these labels, whose hues differ as far as there are enough.

    >>> [layer.labels[0].hue for layer in make_layers({"who": ["A", "B"], "when": ["C"]})]
    [210, 140]
    """
    layers: list[Layer] = []
    for name, own in labels.items():
        layers.append(Layer.of(name, own, sum(len(layer.labels) for layer in layers)))
    return layers


def read_layers(given: Any) -> list[Layer]:
    """Layers as the page sends them, and as they are stored."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise DataError("layers are a list of objects with a name and labels")
    return [_read_layer(one) for one in given]


def _read_layer(given: Mapping[str, Any]) -> Layer:
    name, labels = given.get("name"), given.get("labels")
    if not isinstance(name, str) or not isinstance(labels, list):
        raise DataError("a layer has a name and a list of labels")
    named = [{"name": one} if isinstance(one, str) else one for one in labels]
    if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in named):
        raise DataError(f"the labels of the layer {name!r} have names")
    plain = Layer.of(name, [one["name"] for one in named])
    return Layer(
        plain.name,
        tuple(_with_looks(label, one) for label, one in zip(plain.labels, named, strict=True)),
    )


def _with_looks(label: Label, given: Mapping[str, Any]) -> Label:
    key, hue = given.get("key", label.key), given.get("hue", label.hue)
    if not isinstance(key, str) or len(key) > 1 or not (key == "" or key.isalnum()):
        raise DataError(f"the key of {label.name} must be one letter or digit")
    if type(hue) is not int or not 0 <= hue < 360:
        raise DataError(f"the hue of {label.name} must be a whole number from 0 to 359")
    return Label(label.name, key, hue)


def _check_names(layer: str, labels: Sequence[str]) -> None:
    if not layer.strip():
        raise DataError("a layer needs a name")
    if layer.startswith(".") or any(c in layer for c in "/\\\0"):
        raise DataError(f"a layer cannot be called {layer!r}: files are called after it")
    if not labels:
        raise DataError(f"the layer {layer!r} has no labels")
    for label in labels:
        if not label.strip() or label != label.strip() or any(c in label for c in "\t\n\r ,"):
            raise DataError(f"a label cannot be called {label!r}: no blanks or commas")
        if labels.count(label) > 1:
            raise DataError(f"the layer {layer!r} has the label {label!r} twice")
