"""GROBID's training data: references, affiliations, names and dates, marked up in XML (TEI)."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

from dovetail.corpus import Corpus, Span, labels_from_spans, tokenize
from dovetail.corpus.json_spans import snap
from dovetail.errors import DataError

Kind = Callable[[Element], str | None]
"""The label of an element, None if it is not marked itself."""


def read_tei(archive: Path, part: str, unit: str, kind: Kind) -> Corpus:
    """Every element called ``unit`` in the files of a folder of the archive, as a sequence with the
    columns ``word`` and ``label`` (IOB2).

    Of elements that nest, the outermost that ``kind`` names is a span. One that begins within the
    last token of another is left out.
    """
    words: list[list[str]] = []
    labels: list[list[str]] = []
    for name, content in _files(archive, part):
        try:
            root = fromstring(content)
        except ParseError as error:
            raise DataError(f"{archive}: {name} is no whole XML file: {error}") from None
        for element in root.iter():
            if _tag(element) == unit:
                text, fields = _text(element, kind)
                offsets = tokenize(text)
                if offsets:
                    words.append([text[a:b] for a, b in offsets])
                    labels.append(labels_from_spans(_whole(fields, offsets), len(offsets)))
    if not words:
        raise DataError(f"{archive} has no <{unit}> in {part}")
    return Corpus.from_lists({"word": words, "label": labels})


def named(element: Element) -> str | None:
    """The name of an element, with what it says of its kind: ``title.j``, ``orgName.department``.

    >>> named(fromstring('<biblScope unit="page">12</biblScope>'))
    'biblScope.page'
    """
    name = _tag(element)
    given = element.get("level") or element.get("unit") or element.get("type")
    kind = SAME.get(given or "", given)
    name = SAME.get(name, name)
    if name in NOT_MARKED:
        return None
    return f"{name}.{kind}" if kind and name in WITH_KIND else name


SAME = {  # what the files write in several ways
    "pp": "page",
    "pages": "page",
    "vol": "volume",
    "departement": "department",
    "institute": "institution",
    "Laboratory": "laboratory",
    "lastname": "surname",
    "surename": "surname",
    "firstname": "forename",
    "forenname": "forename",
    "rolename": "roleName",
    "authors": "author",
    "publishe": "publisher",
    "pubplace": "pubPlace",
    "notes": "note",
}
WITH_KIND = ("title", "biblScope", "orgName")
NOT_MARKED = ("lb", "address", "persName", "affiliation")


def _files(archive: Path, part: str) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(archive) as opened:
            members = [m for m in opened if m.isfile() and f"{part}/" in m.name]
            for member in sorted(members, key=lambda m: m.name):
                file = opened.extractfile(member)
                if file is not None and member.name.endswith(".xml"):
                    yield member.name, file.read()
    except (OSError, tarfile.TarError) as error:
        raise DataError(f"cannot read {archive}: {error}") from None


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _text(element: Element, kind: Kind) -> tuple[str, list[Span]]:
    """The text of an element, white space made single, and the spans of its marked parts."""
    pieces: list[str] = []
    spans: list[Span] = []
    length = 0

    def add(text: str | None) -> None:
        nonlocal length
        single = " ".join((text or "").split())
        if text and text[:1].isspace():
            single = f" {single}"
        if text and single.strip() and text[-1:].isspace():
            single += " "
        pieces.append(single)
        length += len(single)

    def walk(parent: Element, inside: bool) -> None:
        add(parent.text)
        for child in parent:
            label = None if inside else kind(child)
            start = length
            walk(child, inside or label is not None)
            if label is not None and length > start:
                spans.append(Span(start, length, label))
            if _tag(child) == "lb":
                add(" ")
            add(child.tail)

    walk(element, False)
    return "".join(pieces), spans


def _whole(fields: list[Span], offsets: list[tuple[int, int]]) -> list[Span]:
    """Spans of tokens; those without any are left out."""
    out: list[Span] = []
    for field in fields:
        if not any(a < field.end and field.start < b for a, b in offsets):
            continue
        [span], _ = snap([field], offsets, "a mark")
        if not out or span.start >= out[-1].end:
            out.append(span)
    return out
