"""Representations in words: what they are, and what is typical of each of their states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail.representation import Representation

UNITS = {
    "Consistency": "types",
    "WordClasses": "classes",
    "WordTable": "values",
    "WordVectors": "dimensions",
    "Structure": "directions",
}


def summarize_representation(representation: Representation) -> dict[str, Any]:
    """What a representation is, as plain data."""
    kind = type(representation).__name__
    one = getattr(representation, "layers_", [representation])[0]
    clusters = getattr(representation, "clusters", None) is not None
    return {
        "name": representation.name_,
        "kind": kind,
        "reads": list(representation.reads_),
        "columns": list(representation.names_),
        "states": len(representation.labels_),
        "unit": "clusters" if clusters else UNITS.get(kind, "states"),
        "value": getattr(getattr(representation, "pattern", representation), "value", None),
        "words": len(one.vocabulary_) if hasattr(one, "vocabulary_") else None,
        "biased_by": list(representation.biased_by_),
        "stopped": getattr(representation, "stopped_", ""),
        "origin": dict(representation.origin_),
    }


def describe_briefly(facts: Mapping[str, Any]) -> str:
    """The same in a line."""
    layers = 1 if facts["kind"] == "WordTable" else len(facts["columns"])
    times = f"{layers} x " if layers > 1 else ""
    text = f"{facts['kind']}, {times}{facts['states']:,} {facts['unit']}"
    if facts["words"] is not None:
        text += f", {facts['words']:,} words"
    if facts["value"] not in (None, "auto"):
        text += f", value {facts['value']:g}"
    if facts["biased_by"]:
        text += f", biased by {' and '.join(facts['biased_by'])}"
    return text


def describe_origin(origin: Mapping[str, str]) -> str:
    """Where data of others come from, in a line."""
    package = f"{origin['package']} {origin['version']}"
    return f"{origin['data']} of {package} (licence: {origin['licence']})"


def describe_aso_round(one: Mapping[str, Any]) -> str:
    """A round of alternating structure optimisation."""
    values = [f"{group[0]:.3g} to {group[-1]:.3g}" for group in one["singular_values"]]
    return (
        f"{one['number']}: mean objective {one['objective']:.5f}, singular values "
        f"{', '.join(values)}, change {one['change']:.4f}"
    )


def typical_words(representation: Representation, top: int) -> dict[str, dict[str, list[str]]]:
    """For each column the most typical words of each of its states; none of plain vectors."""
    found = {}
    for one in getattr(representation, "layers_", [representation]):
        plain_vectors = getattr(one, "clusters", 0) is None
        if top and hasattr(one, "typical_words") and not plain_vectors:
            found[one.name_] = {
                label: [word for word, _ in one.typical_words(number, top)]
                for number, label in enumerate(one.labels_)
            }
    return found


def list_words(found: Mapping[str, Mapping[str, list[str]]]) -> list[str]:
    """Lines with a column's states and their words."""
    lines: list[str] = []
    for column, states in found.items():
        width = max(len(label) for label in states)
        lines += ["", f"typical words of {column}"]
        lines += [f"  {label:<{width}}  {' '.join(words)}" for label, words in states.items()]
    return lines
