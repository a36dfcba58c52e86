"""Changing the labels of a project, before and after something was labelled with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation
from dovetail.studio.journal import Journal
from dovetail.studio.layers import HUES, Label, Layer
from dovetail.studio.project import Project


def change_layers(
    project: Project, layers: Sequence[Layer], maps: Mapping[str, Mapping[str, str | None]]
) -> int:
    """Give a project other layers or labels; how many annotations that changed.

    Labels that are gone must not be in use, or ``maps`` says, for their layer, which label their
    spans get, or None for spans that are to be dropped. All is done, or nothing.
    """
    if not layers:
        raise DataError("a project needs a layer")
    now = {layer.name: layer for layer in layers}
    used = count_labels(project.journal)
    for name, counts in used.items():
        if name not in now:
            raise DataError(
                f"the layer {name!r} has {sum(counts.values())} spans, so it cannot be taken away"
            )
        _check_map(now[name], counts, maps.get(name, {}))
    changed = 0
    with project.database.transaction():
        project.set_layers(layers)
        for name, map in maps.items():
            changed += project.journal.map_labels(name, map)
    return changed


def count_labels(journal: Journal) -> dict[str, Counter[str]]:
    """How often each label of each layer was given, or refused."""
    counts: dict[str, Counter[str]] = {}
    for place, annotation in journal.all_current().items():
        own = _labels(annotation)
        if own:
            counts.setdefault(place.layer, Counter()).update(own)
    return counts


def read_maps(given: Any) -> dict[str, dict[str, str | None]]:
    """What becomes of labels, by layer, as the page sends it."""
    maps = {} if given is None else given
    if not isinstance(maps, dict) or not all(
        isinstance(map, dict) and all(isinstance(v, str | None) for v in map.values())
        for map in maps.values()
    ):
        raise DataError("'map' has for each layer an object of old labels and new ones, or null")
    return maps


def _check_map(layer: Layer, counts: Counter[str], map: Mapping[str, str | None]) -> None:
    for old, new in map.items():
        if new is not None and new not in layer.names:
            raise DataError(f"{old} cannot become {new}, which is no label of {layer.name!r}")
    for label, count in counts.items():
        if label not in layer.names and label not in map:
            spans = "1 span" if count == 1 else f"{count} spans"
            raise DataError(
                f"{spans} of the layer {layer.name!r} would lose the label {label}: say which "
                "label they get, or that they are dropped"
            )


def _labels(annotation: Annotation) -> list[str]:
    return [span.label for span in (*annotation.spans, *annotation.rejected) if span.label]


def extended(layer: Layer, names: Sequence[str]) -> Layer:
    """A layer with these labels, which keep their keys and hues where they are there already."""
    fresh = Layer.of(layer.name, names)
    known = {label.name: label for label in layer.labels}
    used = {label.key for label in layer.labels if label.name in names}
    keys = iter([key for key in "123456789" if key not in used])
    hues = iter([hue for hue in HUES if hue not in {known[n].hue for n in names if n in known}])
    return Layer(
        layer.name,
        tuple(
            known.get(label.name) or Label(label.name, next(keys, ""), next(hues, label.hue))
            for label in fresh.labels
        ),
    )
