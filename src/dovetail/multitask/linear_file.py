"""Files of linear taggers: the layout of a tagger's model file, and facts of their own."""

from __future__ import annotations

import os

from dovetail.chain.model_file import KIND_LINEAR, open_model
from dovetail.chain.model_file import to_bytes as file_bytes
from dovetail.errors import DovetailError, ModelFileError
from dovetail.features import Template
from dovetail.multitask.linear import LinearTagger
from dovetail.multitask.weights import Weights

SETTINGS = ("loss", "penalty", "min_count", "tolerance", "calibrate")  # that a file holds


def to_bytes(tagger: LinearTagger) -> bytes:
    """The whole file in memory."""
    from dovetail import __version__

    facts = {
        "kind": KIND_LINEAR,
        "labels": tagger.labels_,
        "label": tagger.label_column_,
        "features": tagger.template_.spec(),
        "settings": {key: tagger.settings[key] for key in SETTINGS},
        "factor": tagger.factor_,
        "training": tagger.training_,
        "dovetail": __version__,
    }
    return file_bytes(tagger.weights_.contiguous(), facts)


def opened(
    source: str | os.PathLike[str] | bytes,
    features: Template | None,
    threads: int | None,
    verify: bool | None,
) -> LinearTagger:
    """The linear tagger in a file; `ASO` too is one when it is trained."""
    file = open_model(source, verify)
    kind = file.facts.get("kind", "tagger")
    if kind != KIND_LINEAR:
        raise ModelFileError(f"{file.source} holds a {kind}, not a {KIND_LINEAR}")
    try:
        facts = file.facts
        template = features or Template.from_spec(facts["features"])
        made = LinearTagger(features=template, threads=threads, **facts["settings"])
        labels = [str(label) for label in facts["labels"]]
        factor = None if facts["factor"] is None else float(facts["factor"])
        weights = Weights.in_file(file, len(labels))
        made._become(weights, template, labels, str(facts["label"]), factor, facts["training"])
    except DovetailError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ModelFileError(f"{file.source} is damaged: its description cannot be read") from None
    return made
