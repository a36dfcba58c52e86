"""Which annotations count where there are several annotators."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, annotation_from_json
from dovetail.studio.project import SETTLED, Project

AGREED = "agreed"


def done_annotations(
    project: Project, layer: str, document: int | None = None
) -> dict[str, dict[int, Annotation]]:
    """The annotations of a layer that are done, of each annotator (and of those that differences
    were settled by) by documents."""
    where, values = "", [layer]
    if document is not None:
        where, values = "AND document = ?", [layer, str(document)]
    found: dict[str, dict[int, Annotation]] = {name: {} for name in project.annotators}
    for annotator, number, value in project.database.select(
        f"SELECT annotator, document, value FROM annotations WHERE done AND layer = ? {where}",
        values,
    ):
        found.setdefault(annotator, {})[number] = annotation_from_json(json.loads(value))
    return {name: own for name, own in found.items() if own}


def annotations_of(project: Project, annotator: str) -> dict[int, dict[str, Annotation]]:
    """All annotations of an annotator, of each document by layer."""
    found: dict[int, dict[str, Annotation]] = {}
    for number, layer, value in project.database.select(
        "SELECT document, layer, value FROM annotations WHERE annotator = ?", (annotator,)
    ):
        found.setdefault(number, {})[layer] = annotation_from_json(json.loads(value))
    return found


def agreed_annotations(
    project: Project, whose: str = AGREED
) -> Callable[[int], Mapping[str, Annotation]]:
    """Finds what an annotator says of a document or, for "agreed", what was settled or all who have
    done it say."""
    if whose != AGREED:
        if whose not in [*project.annotators, SETTLED]:
            raise DataError(f"there is no annotator {whose!r}")
        own = annotations_of(project, whose)
        return lambda number: own.get(number, {})
    layers = [layer.name for layer in project.layers]
    agreed: dict[int, dict[str, Annotation]] = {}
    for layer in layers:
        done = done_annotations(project, layer)
        settled = done.pop(SETTLED, {})
        for number in {number for own in done.values() for number in own} - settled.keys():
            given = [own[number] for own in done.values() if number in own]
            if all(one.spans == given[0].spans for one in given):
                agreed.setdefault(number, {})[layer] = given[0]
        for number, annotation in settled.items():
            agreed.setdefault(number, {})[layer] = annotation
    return lambda number: agreed.get(number, {})


def whose_labels(project: Project) -> str:
    """Whose labels count where nobody is asked: those of the only annotator, or what is agreed."""
    annotators = project.annotators
    return annotators[0] if len(annotators) == 1 else AGREED
