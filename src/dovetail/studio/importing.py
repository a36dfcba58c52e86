"""Files of any format that is read, as documents with what is labelled in them."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from dovetail.corpus.texts import Unit, check_unit, cut_lines
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text
from dovetail.studio.annotation import Document


def read_text_document(path: PathLike, unit: Unit) -> Document:
    """A file of plain text as one document, its lines, paragraphs or all of it the sequences."""
    with open_text(path) as file:
        text = file.read().rstrip("\n")
    document = text_document(Path(path).name, text, unit)
    if not document.tokens:
        raise DataError(f"{path} holds no words")
    return document


def text_document(name: str, text: str, unit: Unit) -> Document:
    """A text as a document.

    >>> document = text_document("a", "Hello there.\\n\\nBye!", "paragraph")
    >>> document.tokens, document.bounds, document.ranges
    (('Hello', 'there', '.', 'Bye', '!'), (0, 3, 5), ((0, 12), (14, 18)))
    """
    check_unit(unit)
    offsets: list[tuple[int, int]] = []
    bounds = [0]
    ranges: list[tuple[int, int]] = []
    at = 0
    for part, _ in cut_lines(StringIO(text), unit):
        start = text.index(part, at)
        at = start + len(part)
        found = tokenize(part)
        if found:
            offsets += [(start + first, start + end) for first, end in found]
            bounds.append(len(offsets))
            ranges.append((start, at))
    tokens = tuple(text[first:end] for first, end in offsets)
    return Document(0, name, text, tokens, tuple(offsets), tuple(bounds), tuple(ranges))
