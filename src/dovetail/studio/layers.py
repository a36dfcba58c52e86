"""Layers, and the labels of their spans: their names, keys and hues."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    def of(cls, name: str, labels: Iterable[str]) -> Layer:
        """A layer with these labels, their keys and hues chosen."""
        names = tuple(labels)
        _check_names(name, names)
        keys = "123456789"
        return cls(
            name,
            tuple(
                Label(label, keys[number] if number < len(keys) else "", HUES[number % len(HUES)])
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


def _check_names(layer: str, labels: Sequence[str]) -> None:
    if not layer.strip():
        raise DataError("a layer needs a name")
    if not labels:
        raise DataError(f"the layer {layer!r} has no labels")
    for label in labels:
        if not label.strip() or label != label.strip() or any(c in label for c in "\t\n\r ,"):
            raise DataError(f"a label cannot be called {label!r}: no blanks or commas")
        if labels.count(label) > 1:
            raise DataError(f"the layer {layer!r} has the label {label!r} twice")
