"""Conversion between plain labels and labels of span schemes.

Addresses are often labelled plainly, ``StreetName StreetName ZipCode``; neighbours with one label
are then one span.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dovetail.corpus.labels import Span, labels_from_spans, spans, split_label
from dovetail.corpus.schemes import Scheme
from dovetail.errors import DataError

Labels = Sequence[str | None]


def find_runs(labels: Labels) -> list[Span]:
    """Neighbours with the same plain label as spans; O and missing labels are outside.

    >>> find_runs(["O", "City", "City", "Zip"])
    [Span(start=1, end=3, label='City'), Span(start=3, end=4, label='Zip')]
    """
    found: list[Span] = []
    at = 0
    for label, group in groupby(labels):
        end = at + sum(1 for _ in group)
        if label is not None and label != "O":
            found.append(Span(at, end, label))
        at = end
    return found


def convert_plain(labels: Labels, source: Scheme, target: Scheme) -> list[str | None]:
    """The labels of one sequence in another scheme, "none" being plain; missing ones stay so.

    >>> convert_plain(["City", "City", None, "O"], "none", "IOB2")
    ['B-City', 'I-City', None, 'O']
    >>> convert_plain(["B-City", "I-City", None, "O"], "IOB2", "none")
    ['City', 'City', None, 'O']
    """
    made: list[str | None]
    if target == "none":
        if source == "none":
            return list(labels)
        made = [None if label is None else _type_of(label) for label in labels]
    else:
        found = find_runs(labels) if source == "none" else spans(labels)
        made = [*labels_from_spans(found, len(labels), target)]
    return [None if label is None else new for label, new in zip(labels, made, strict=True)]


def _type_of(label: str) -> str:
    if label == "O":
        return label
    kind = split_label(label)[1]
    if kind in ("", "O"):
        raise DataError(f"the label {label!r} has no name that could stand alone")
    return kind
