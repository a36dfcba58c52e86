"""What is labelled, and what annotators say of it.

Documents and annotations never change; an edit makes another annotation, and an action is what
differs between the two (see `dovetail.studio.journal`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from dovetail.errors import DataError

DEFAULT_LAYER = "label"


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """Tokens ``start`` up to, not including, ``end`` of a document.

    ``characters`` are the first and the end of a span that was drawn by characters, which need not
    be those of whole tokens.
    """

    start: int
    end: int
    label: str
    characters: tuple[int, int] | None = field(default=None, compare=False)

    def overlaps(self, other: Span) -> bool:
        """Whether some token is in both."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A span that a model found, and how probable it is."""

    start: int
    end: int
    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its tokens.

    ``offsets`` are the characters (code points) of each token in ``text``. A document is one or
    several sequences: ``bounds`` are the tokens at which they begin, and the end; ``ranges`` the
    characters of ``text`` that belong to each. ``columns`` are further values of each token.
    """

    id: int
    name: str
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    bounds: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    columns: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    @property
    def sequences(self) -> list[tuple[int, int]]:
        """The tokens of each sequence, from and to."""
        return list(pairwise(self.bounds))

    def sequence_of(self, token: int) -> int:
        """The number of the sequence that a token is in."""
        return bisect_right(self.bounds, token) - 1


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotator says of a document in one layer.

    ``spans`` are right. ``rejected`` ones are not spans of their label. If ``done``, every other
    token is outside of all spans; before, nothing is known of it. Spans are sorted, and do not
    overlap.
    """

    spans: tuple[Span, ...] = ()
    rejected: tuple[Span, ...] = ()
    done: bool = False
    flag: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What an annotator does at once: spans to add, to take away, to reject, and so on; None leaves
    as it is."""

    add: tuple[Span, ...] = ()
    remove: tuple[Span, ...] = ()
    reject: tuple[Span, ...] = ()
    unreject: tuple[Span, ...] = ()
    done: bool | None = None
    flag: bool | None = None
    note: str | None = None


EMPTY = Annotation()


def edit(annotation: Annotation, change: Change) -> Annotation:
    """An annotation after a change.

    A span that is added takes the place of those that it overlaps; one that is rejected is no span
    any more, and one that is added is not rejected any more.

    >>> before = Annotation(spans=(Span(0, 2, "PER"), Span(3, 4, "LOC")))
    >>> [span.label for span in edit(before, Change(add=(Span(1, 3, "ORG"),))).spans]
    ['ORG', 'LOC']
    """
    for one, other in pairwise(sorted(change.add)):
        if one.overlaps(other):
            raise DataError(
                f"the spans {one.start}-{one.end} and {other.start}-{other.end} overlap: one layer "
                "has room for one of them"
            )
    gone = {*change.remove, *change.reject}
    kept = [
        span
        for span in annotation.spans
        if span not in gone and not any(span.overlaps(new) for new in change.add)
    ]
    added = {*change.add}
    rejected = {*annotation.rejected, *change.reject} - {*change.unreject} - added
    return replace(
        annotation,
        spans=tuple(sorted([*kept, *change.add])),
        rejected=tuple(sorted(rejected)),
        done=annotation.done if change.done is None else change.done,
        flag=annotation.flag if change.flag is None else change.flag,
        note=annotation.note if change.note is None else change.note,
    )


def check_span(span: Span, document: Document, labels: Iterable[str]) -> None:
    """Refuse a span that is not in a document, runs over the end of a sequence or has another label
    than there are."""
    n = len(document.tokens)
    where = f"{document.name}: the span {span.start}-{span.end}"
    if not 0 <= span.start < span.end <= n:
        raise DataError(f"{where} does not fit {n} tokens")
    if document.sequence_of(span.start) != document.sequence_of(span.end - 1):
        raise DataError(f"{where} runs over the end of a sequence: label its parts")
    known = tuple(labels)
    if span.label not in known:
        raise DataError(f"{where}: there is no label {span.label!r}, but {', '.join(known)}")
    if span.characters is not None:
        first, end = span.characters
        inside = document.offsets[span.start][0] <= first < document.offsets[span.start][1]
        ends = document.offsets[span.end - 1][0] < end <= document.offsets[span.end - 1][1]
        if not (inside and ends):
            raise DataError(f"{where} does not have the characters {first}-{end} in its ends")


def span_to_json(span: Span) -> dict[str, Any]:
    """A span as the journal and the page have it."""
    value: dict[str, Any] = {"start": span.start, "end": span.end, "label": span.label}
    if span.characters is not None:
        value["characters"] = list(span.characters)
    return value


def span_from_json(value: Any) -> Span:
    """A span as the journal and the page have it; refuses what is none."""
    if not isinstance(value, dict):
        raise DataError(f"a span is an object of start, end and label, not {str(value)[:40]!r}")
    start, end, label = value.get("start"), value.get("end"), value.get("label")
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise DataError("a span has the whole numbers start and end, and a label")
    characters = value.get("characters")
    if characters is None:
        return Span(start, end, label)
    if not isinstance(characters, list) or [type(one) for one in characters] != [int, int]:
        raise DataError("the characters of a span are two whole numbers")
    return Span(start, end, label, (characters[0], characters[1]))


def annotation_to_json(annotation: Annotation) -> dict[str, Any]:
    """An annotation as the page has it."""
    return {
        "spans": [span_to_json(span) for span in annotation.spans],
        "rejected": [span_to_json(span) for span in annotation.rejected],
        "done": annotation.done,
        "flag": annotation.flag,
        "note": annotation.note,
    }


def annotation_from_json(value: Mapping[str, Any]) -> Annotation:
    """An annotation as it was stored."""
    return Annotation(
        tuple(map(span_from_json, value["spans"])),
        tuple(map(span_from_json, value["rejected"])),
        value["done"],
        value["flag"],
        value["note"],
    )
