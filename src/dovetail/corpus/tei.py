"""Texts marked up in TEI, as GROBID writes them and is trained on: elements are spans.

``<bibl><author>A. Lovelace</author>. <title level="j">Memoirs</title></bibl>``: every element of
one name, here ``bibl``, is a sequence, and the elements within it are its labels.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from dovetail.corpus.json_spans import TokenPlaces
from dovetail.corpus.labels import Span, labels_from_spans
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import Tokens, find_tokens
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_bytes

LINE_BREAK = "lb"
DEEPEST = 200  # elements within one another; texts have a few dozens
CONTEXT = 10  # characters shown on each side of an element that is left out
KINDS = ("level", "unit", "type")  # attributes that say what kind of a title, scope or name it is
ElementLabel = Callable[[Element], str | None]
"""The label of an element, None if it is not marked itself."""

_log = logging.getLogger(__name__)


def element_name(element: Element) -> str:
    """The name of an element, without its namespace."""
    return element.tag.rpartition("}")[2]


def element_label(element: Element) -> str | None:
    """The name of an element, with the kind that it says it is of.

    >>> element_label(Element("title", level="j")), element_label(Element("date"))
    ('title.j', 'date')
    """
    kind = next((element.get(name) for name in KINDS if element.get(name)), None)
    return f"{element_name(element)}.{kind}" if kind else element_name(element)


def read_tei(path: PathLike, unit: str, *, label: ElementLabel = element_label) -> Corpus:
    """Read every element called ``unit`` of a file, or of all ``.xml`` files below a folder, as a
    sequence with the columns ``word`` and ``label`` (IOB2).

    Of elements that nest, the outermost that ``label`` names is a span. One that begins within the
    last token of another is left out. White space is made single; ``<lb/>`` is a blank.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "references.tei.xml")
    >>> _ = path.write_text("<TEI><bibl><author>A. Bo</author>, <date>1977</date></bibl></TEI>")
    >>> corpus = read_tei(path, "bibl")
    >>> corpus.lists("word"), corpus.lists("label")
    ([['A.', 'Bo', ',', '1977']], [['B-author', 'I-author', 'O', 'B-date']])
    """
    return to_corpus(element_records(path, parse_files(path), unit, label), ["word", "label"])


def stream_tei(
    path: PathLike, unit: str, *, label: ElementLabel = element_label, chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences."""
    records = element_records(path, parse_files(path), unit, label)
    return to_chunks(records, chunk_size, ["word", "label"])


def parse_files(path: PathLike) -> Iterator[Element]:
    """The root of an XML file, or those of all ``.xml`` files below a folder."""
    files = [Path(os.fspath(path))]
    if os.path.isdir(files[0]):
        files = sorted(files[0].rglob("*.xml"), key=Path.as_posix)
    return map(_parse, files)


def element_records(
    path: PathLike,
    roots: Iterable[Element],
    unit: str,
    label: ElementLabel,
    tokens: Tokens = "words",
) -> Iterator[Record]:
    """Every element called ``unit`` below these roots as a record; ``path`` is where they are
    from."""
    n_units = overlapping = 0
    example = ""
    for root in roots:
        opens = True
        for element in root.iter():
            if element_name(element) != unit:
                continue
            n_units += 1
            text, fields = _text(element, label)
            offsets = find_tokens(text, tokens)
            if not offsets:
                continue
            spans, left_out = _token_spans(fields, offsets)
            overlapping += len(left_out)
            if left_out and not example:
                example = _describe_overlap(left_out[0], text)
            columns = {
                "word": [text[start:end] for start, end in offsets],
                "label": labels_from_spans(spans, len(offsets)),
            }
            yield Record(columns, len(offsets), opens, text, offsets)
            opens = False
    if not n_units:
        raise DataError(f"there is no <{unit}> in {os.fspath(path)}: give another unit")
    if overlapping:
        _log.warning(
            "%s: %d elements begin within the last token of another and are left out, such as %s",
            os.fspath(path),
            overlapping,
            example,
        )


def _parse(path: Path) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise DataError(
                f"{path}:{parser.CurrentLineNumber}: there are more than {DEEPEST} elements "
                "within one another"
            )
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(name: str, *_: object) -> None:
        """Entities can make a small file a huge text, or read other files."""
        raise DataError(
            f"{path}:{parser.CurrentLineNumber}: the file declares the entity {name!r}; "
            "write it out"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    with open_bytes(path) as file:
        content = file.read()
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        raise DataError(f"{path}:{error.lineno}: not XML: {said}") from None
    except DataError:
        raise
    except (LookupError, ValueError) as error:
        raise DataError(f"{path} says that it is in another encoding: {error}") from None
    return builder.close()


def _text(element: Element, label: ElementLabel) -> tuple[str, list[Span]]:
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
            name = None if inside else label(child)
            start = length
            walk(child, inside or name is not None)
            if name is not None and length > start:
                spans.append(Span(start, length, name))
            if element_name(child) == LINE_BREAK:
                add(" ")
            add(child.tail)

    walk(element, False)
    whole = "".join(pieces)
    text = whole.lstrip()
    shift = len(whole) - len(text)
    return text.rstrip(), [Span(max(a - shift, 0), b - shift, name) for a, b, name in spans]


def _token_spans(
    fields: list[Span], offsets: list[tuple[int, int]]
) -> tuple[list[Span], list[Span]]:
    """Spans of tokens, without those that have none, and the fields that overlap one before
    them."""
    out: list[Span] = []
    overlapping: list[Span] = []
    places = TokenPlaces(offsets)
    for field in fields:
        span = places.find(field)
        if span.start >= span.end:
            continue
        if out and span.start < out[-1].end:
            overlapping.append(field)
        else:
            out.append(span)
    return out, overlapping


def _describe_overlap(field: Span, text: str) -> str:
    """The element, with the characters around it."""
    around = text[max(field.start - CONTEXT, 0) : field.end + CONTEXT]
    return f"{field.label} {text[field.start : field.end]!r} in {around!r}"
