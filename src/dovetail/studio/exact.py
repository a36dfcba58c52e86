"""CoNLL files as they were read, byte for byte, with other labels where these were changed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence

from dovetail.corpus.labels import labels_from_spans
from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Document, Span
from dovetail.studio.project import Source
from dovetail.studio.stored import decompress_stored
from dovetail.studio.tables import OUTSIDE, Labels, read_labels

_LINE_END = re.compile(rb"(\r\n|\n|\r)")
_FIELD = re.compile(rb"[^ ]+")
_OTHER_LETTERS = {"E": "L", "S": "U"}  # of BILOU


def rewrite(source: Source, annotations: Mapping[int, Mapping[str, Annotation]]) -> bytes:
    """The bytes of a CoNLL file; ``annotations`` of each document by layer, of those there are."""
    try:
        return _rewrite(source, annotations)
    except (zlib.error, IndexError, ValueError) as error:
        raise DataError(f"{source.name}, as the project has it, is damaged: {error}") from None


def _rewrite(source: Source, annotations: Mapping[int, Mapping[str, Annotation]]) -> bytes:
    assert source.content is not None
    parts = _LINE_END.split(decompress_stored(source.content))  # line, end, line, end ..., line
    for layer, column in source.details["layers"].items():
        field = source.details["columns"].index(column)
        scheme = source.details["schemes"][layer]
        for entry in source.entries:
            annotation = annotations.get(entry.document.id, {}).get(layer)
            if annotation is None:
                continue
            lines = [number - 1 for own in entry.place for number in own]
            old = [_read_field(parts[2 * line], field) for line in lines]
            new = relabel(entry.document, old, annotation, scheme)
            for line, before, after in zip(lines, old, new, strict=True):
                if before != after:
                    parts[2 * line] = _write_field(parts[2 * line], field, after or "")
    return b"".join(parts)


def is_rewritable(source: Source) -> bool:
    """Whether a file is kept so that it can be written again."""
    return source.content is not None


def relabel(document: Document, old: Labels, annotation: Annotation, scheme: str) -> Labels:
    """Labels that say what an annotation does, and are the old ones wherever these say the same."""
    before = read_labels(document, old, scheme) or Annotation()  # type: ignore[arg-type]
    labels: Labels = []
    for first, end in document.sequences:
        own = old[first:end]
        had = [span for span in before.spans if first <= span.start < end]
        wanted = [span for span in annotation.spans if first <= span.start < end]
        rest = OUTSIDE if annotation.done else None
        labels += _relabel_sequence(own, first, had, wanted, scheme, rest)
    return labels


def _relabel_sequence(
    old: Labels,
    first: int,
    had: Sequence[Span],
    wanted: Sequence[Span],
    scheme: str,
    rest: str | None,
) -> Labels:
    fresh = _write(wanted, first, old, scheme)
    kept_spans = set(had) & set(wanted)
    in_kept = _tokens_of(kept_spans, first)
    in_any = _tokens_of(wanted, first)
    in_old = _tokens_of(had, first)
    labels: Labels = []
    for token, label in enumerate(old):
        if token in in_kept:
            labels.append(label)
        elif token in in_any:
            labels.append(fresh[token])
        elif token in in_old:
            labels.append(OUTSIDE)
        else:
            labels.append(rest if label is None else label)
    if _reads_as(labels, first, wanted, scheme):
        return labels
    return [
        label if token in in_any or old[token] is not None else rest
        for token, label in enumerate(fresh)
    ]


def _write(spans: Sequence[Span], first: int, old: Labels, scheme: str) -> list[str]:
    """The labels of spans in the scheme, and with the letters, of a file."""
    places = [(span.start - first, span.end - first, span.label) for span in spans]
    if scheme == "none":
        plain = [OUTSIDE] * len(old)
        for start, end, label in places:
            plain[start:end] = [label] * (end - start)
        return plain
    written = labels_from_spans(places, len(old), scheme)  # type: ignore[arg-type]
    if any(label is not None and label[:2] in ("L-", "U-") for label in old):
        return [_OTHER_LETTERS.get(label[0], label[0]) + label[1:] for label in written]
    return written


def _tokens_of(spans: Sequence[Span] | set[Span], first: int) -> set[int]:
    return {token - first for span in spans for token in range(span.start, span.end)}


def _reads_as(labels: Labels, first: int, wanted: Sequence[Span], scheme: str) -> bool:
    """Whether labels of a sequence have just these spans."""
    n = len(labels)
    alone = Document(0, "", "", ("",) * n, ((0, 0),) * n, (0, n), ((0, 0),))
    found = read_labels(alone, labels, scheme)  # type: ignore[arg-type]
    shifted = {Span(span.start - first, span.end - first, span.label) for span in wanted}
    return set(found.spans if found else ()) == shifted


def _places(line: bytes) -> Iterator[tuple[int, int]]:
    """Where the fields of a line are."""
    if b"\t" not in line:
        yield from (match.span() for match in _FIELD.finditer(line))
        return
    at = 0
    for field in line.split(b"\t"):
        yield at, at + len(field)
        at += len(field) + 1


def _read_field(line: bytes, number: int) -> str | None:
    start, end = list(_places(line))[number]
    return line[start:end].decode() or None


def _write_field(line: bytes, number: int, value: str) -> bytes:
    start, end = list(_places(line))[number]
    return line[:start] + value.encode() + line[end:]
