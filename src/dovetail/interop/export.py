"""Our models for other programs: CRFsuite's model file, or plain JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dovetail.chain.tagger import Tagger
from dovetail.chain.weights import weight_table
from dovetail.errors import DataError
from dovetail.interop.crfsuite_writer import crfsuite_bytes
from dovetail.interop.foreign import Weights
from dovetail.io.files import PathLike, atomic_write, write_text

CONSTRAINTS = ("legal", "start", "end")


def extract_weights(tagger: Tagger) -> Weights:
    """All weights of a tagger that are not zero."""
    model = tagger.model_
    table = weight_table(model)
    names = [name.encode() for name in model.names]
    return Weights(
        list(model.labels),
        names,
        table.feature,
        table.previous,
        table.label,
        table.weight.astype(np.float64),
    )


def to_crfsuite(tagger: Tagger) -> bytes:
    """A tagger as a CRFsuite model file, which CRFsuite and python-crfsuite open.

    Features keep their names: `dovetail features` and `Template.features` show what a template
    makes of a text. Weights for starting and ending with a label (``boundaries``) become weights of
    the attributes ``⟨start⟩`` and ``⟨end⟩``, which the first and the last token must then be given.
    """
    model = tagger.model_
    weights = extract_weights(tagger)
    if ((weights.feature >= 0) & (weights.previous >= 0)).any():
        raise DataError("CRFsuite knows no features on transitions, and this model has some")
    if any(len(model.array(name)) for name in CONSTRAINTS):
        raise DataError(
            "CRFsuite knows no constraints, and this model has some; train it without them"
        )
    if any(b"\0" in name for name in weights.features) or "\0" in "".join(weights.labels):
        raise DataError("CRFsuite knows no zero bytes in names, and a feature or a label has one")
    return crfsuite_bytes(weights)


def to_json(tagger: Tagger) -> dict[str, Any]:
    """A tagger as lists and dicts that JSON can hold: what is needed to compute its scores."""
    model, weights = tagger.model_, extract_weights(tagger)
    labels, names = weights.labels, model.names
    on_labels: dict[str, dict[str, float]] = {}
    on_moves: dict[str, list[list[Any]]] = {}
    moves: list[list[Any]] = []
    rows = zip(*(column.tolist() for column in weights[2:]), strict=True)
    for feature, previous, label, weight in rows:
        if feature < 0:
            moves.append([labels[previous], labels[label], weight])
        elif previous < 0:
            on_labels.setdefault(names[feature], {})[labels[label]] = weight
        else:
            on_moves.setdefault(names[feature], []).append(
                [labels[previous], labels[label], weight]
            )
    limits = {
        name: np.frombuffer(model.array(name), np.uint8).tolist() or None for name in CONSTRAINTS
    }
    return {
        "labels": labels,
        "features": model.facts["features"],
        "weights": on_labels,
        "transitions": moves,
        "weights_on_transitions": on_moves,
        "constraints": limits,
    }


def export_model(tagger: Tagger, path: PathLike, format: str = "crfsuite") -> None:
    """Write a tagger for another program: ``crfsuite`` or ``json``."""
    if format == "crfsuite":
        content = to_crfsuite(tagger)
        with atomic_write(path) as file:
            file.write(content)
    elif format == "json":
        with write_text(path) as text:
            json.dump(to_json(tagger), text, ensure_ascii=False, indent=1)
            text.write("\n")
    else:
        raise DataError(f"there is no format '{format}' to export to: crfsuite or json")
