"""Files of linear taggers: the layout of a tagger's model file, and facts of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail import __version__
from dovetail.features import Template
from dovetail.io.description import reading_description
from dovetail.io.model_file import ModelFile
from dovetail.io.model_file import to_bytes as file_bytes
from dovetail.multitask.weights import Weights

if TYPE_CHECKING:
    from dovetail.multitask.linear import LinearTagger

PARAMETERS = ("loss", "penalty", "min_count", "tolerance", "calibrate")  # that a file holds


class Saved(NamedTuple):
    """What a file holds: parameters, and what training found."""

    parameters: dict[str, Any]
    weights: Weights
    template: Template
    labels: list[str]
    label: str
    factor: float | None
    training: dict[str, Any]


def to_bytes(tagger: LinearTagger) -> bytes:
    """The whole file in memory; `ASO` too is a linear tagger when it is trained."""
    facts = {
        "kind": tagger.kind,
        "labels": tagger.labels_,
        "label": tagger.label_column_,
        "features": tagger.template_.spec(),
        "settings": _settings(tagger),
        "factor": tagger.factor_,
        "training": tagger.training_,
        "dovetail": __version__,
    }
    return file_bytes(tagger.weights_.contiguous(), facts)


def _settings(tagger: LinearTagger) -> dict[str, Any]:
    """The parameters. Features that are a template are in the file as the template that it was
    trained with."""
    settings = {name: getattr(tagger, name) for name in PARAMETERS}
    if not isinstance(tagger.features, Template):
        settings["features"] = tagger.features
    return settings


def saved_in(file: ModelFile, features: Template | None) -> Saved:
    """What a file holds; ``features`` in place of a template that no file can."""
    facts = file.facts
    with reading_description(file):
        labels = [str(label) for label in facts["labels"]]
        template = features or Template.from_spec(facts["features"])
        return Saved(
            parameters={"features": template, **facts["settings"]},
            weights=Weights.in_file(file, len(labels)),
            template=template,
            labels=labels,
            label=str(facts["label"]),
            factor=None if facts["factor"] is None else float(facts["factor"]),
            training=facts["training"],
        )
