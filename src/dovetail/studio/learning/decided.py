"""What is decided of a document, for a model that is to say what is likely beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dovetail.grid import Grid
from dovetail.studio.annotation import Annotation, Document
from dovetail.studio.learning.partial import NOTHING, Known, known_labels


def clamp(
    grid: Grid,
    labels: Sequence[str],
    documents: Sequence[Document],
    decided: Sequence[Annotation],
) -> Grid:
    """A grid of one layer with the labels that spans, and places where nothing is, fix in it.

    That a single span was rejected fixes no token; labels that the model does not know, neither.
    """
    types = [name.removeprefix("B-") for name in labels if name.startswith("B-")]
    codes = {name: code for code, name in enumerate(labels)}
    node = np.array(grid.nodes[0], float)
    token = 0
    for document, annotation in zip(documents, decided, strict=True):
        nothing = tuple(one for one in annotation.rejected if one.label == NOTHING)
        known = known_labels(document, replace(annotation, rejected=nothing, done=False), types)
        for alternatives, (first, end) in zip(known, document.sequences, strict=True):
            for place, own in enumerate(alternatives[0] if alternatives else ()):
                _fix(node[token + place], own, codes)
            token += end - first
    return replace(grid, nodes=[node])


def _fix(scores: np.ndarray, known: Known, codes: dict[str, int]) -> None:
    """Exclude what a token is not; whatever a model thinks, a label that it has is possible."""
    if isinstance(known, str):
        if known in codes:
            scores[:] = -np.inf
            scores[codes[known]] = 0.0
    elif known is not None:
        kept = [codes[name] for name in known if name in codes]
        out = np.full(len(scores), -np.inf)
        out[kept] = scores[kept]
        scores[:] = out
