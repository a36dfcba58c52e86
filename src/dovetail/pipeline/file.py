"""A pipeline as one file: the model file of each tagger, and how they are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dovetail import __version__
from dovetail.base.representation import Representation
from dovetail.errors import DovetailError, ModelFileError
from dovetail.io.model_file import ModelFile
from dovetail.io.model_file import to_bytes as file_bytes
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.kinds import KINDS
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.parts import PartsReader, PartsWriter
from dovetail.pipeline.representations import opened_representation

SETTINGS = ("decode", "lattice", "inference", "epsilon")


def pipeline_bytes(
    layers: Sequence[Layer],
    representations: Sequence[Representation],
    settings: Mapping[str, Any],
    notes: Sequence[str],
) -> bytes:
    """The whole file in memory."""
    parts = PartsWriter()
    inputs = [
        {"name": one.name_, "array": parts.add("representation", one.to_bytes())}
        for one in representations
    ]
    facts: dict[str, Any] = {
        "kind": "pipeline",
        "labels": [],
        "training": {},
        "dovetail": __version__,
        "representations": inputs,
        "layers": [
            {"name": layer.name, "weight": layer.weight, **layer.annotator.spec(parts)}
            for layer in layers
        ],
        **{name: settings[name] for name in SETTINGS},
        "notes": list(notes),
    }
    return file_bytes(parts.arrays, facts)


class PipelineParts(NamedTuple):
    """What a file holds: all parts by name, weights, settings, and notes of the training."""

    parts: dict[str, LayerAnnotator | Representation]
    weights: dict[str, float]
    settings: dict[str, Any]
    notes: list[str]


def read_pipeline(file: ModelFile, given: Mapping[str, Any], threads: int | None) -> PipelineParts:
    """The parts of a saved pipeline; ``given`` has what no file can hold: annotators of the user's
    own, and feature functions."""
    try:
        facts = file.facts
        parts: dict[str, LayerAnnotator | Representation] = {
            spec["name"]: _representation(spec, file) for spec in facts.get("representations", [])
        }
        for spec in facts["layers"]:
            name = spec["name"]
            reader = PartsReader(file, name, given.get(name), threads, KINDS)
            parts[name] = reader.restore(spec)
        weights = {spec["name"]: float(spec["weight"]) for spec in facts["layers"]}
        settings = {name: facts[name] for name in SETTINGS}
        return PipelineParts(parts, weights, settings, [str(note) for note in facts["notes"]])
    except DovetailError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise damaged(file) from None


def damaged(file: ModelFile) -> ModelFileError:
    """For a file whose layers make no sense."""
    return ModelFileError(f"{file.source} is damaged: its layers cannot be read")


def _representation(spec: Mapping[str, Any], file: ModelFile) -> Representation:
    reader = PartsReader(file, spec["name"], None, None, KINDS)
    try:
        return opened_representation(reader.open(spec))
    except ModelFileError:
        raise ModelFileError(
            f"{file.source} is damaged: its representation '{spec['name']}' cannot be read"
        ) from None
