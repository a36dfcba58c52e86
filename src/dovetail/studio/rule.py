"""The same string everywhere: one label for all places where a text stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Change, Document, Span, edit
from dovetail.studio.journal import Place
from dovetail.studio.project import Project

LONGEST = 1000  # characters of a string


class Match(NamedTuple):
    """A place where a string stands and nothing is labelled yet."""

    document: Document
    span: Span


def find_matches(
    project: Project, annotator: str, layer: str, text: str, label: str, *, in_done: bool = False
) -> Iterator[Match]:
    """The places of a string, from token to token, that are in no span and were not rejected;
    documents that are done are left alone unless they are asked for."""
    words = text.split()
    if not words or len(text) > LONGEST:
        raise DataError(f"give a string of 1 to {LONGEST} characters")
    if label not in project.layer(layer).names:
        raise DataError(f"the layer {layer!r} has no label {label!r}")
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for number in project.find_text(words[0]):
        annotation = project.current(annotator, number, layer).annotation
        if annotation.done and not in_done:
            continue
        document = project.document(number)
        yield from _in_document(document, annotation, pattern, label)


def _in_document(
    document: Document, annotation: Annotation, pattern: re.Pattern[str], label: str
) -> Iterator[Match]:
    starts = {start: number for number, (start, _) in enumerate(document.offsets)}
    ends = {end: number + 1 for number, (_, end) in enumerate(document.offsets)}
    for match in pattern.finditer(document.text):
        first, end = starts.get(match.start()), ends.get(match.end())
        if first is None or end is None:
            continue
        span = Span(first, end, label)
        in_one = document.sequence_of(first) == document.sequence_of(end - 1)
        taken = any(span.overlaps(other) for other in annotation.spans)
        if in_one and not taken and span not in annotation.rejected:
            yield Match(document, span)


def apply_rule(
    project: Project,
    annotator: str,
    layer: str,
    matches: Iterable[Match],
    key: str | None = None,
) -> list[int]:
    """Label all these places as one action, which one undo takes back; the documents it changed."""
    spans: dict[int, list[Span]] = {}
    for match in matches:
        spans.setdefault(match.document.id, []).append(match.span)
    with project.database.transaction():
        annotations = {}
        for number, found in spans.items():
            place = Place(annotator, number, layer)
            present = project.journal.current(place).annotation
            annotations[place] = edit(present, Change(add=tuple(found)))
        project.journal.act_together("rule", annotations, key)
    return list(spans)
