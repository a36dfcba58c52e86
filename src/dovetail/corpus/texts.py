"""Strings cut into lines, paragraphs or whole documents, and these into tokens."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, get_args

from dovetail.corpus.record import Record
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError

Unit = Literal["line", "paragraph", "document"]
UNITS: tuple[Unit, ...] = get_args(Unit)


def check_unit(unit: str) -> None:
    """Refuse what is no unit of text."""
    if unit not in UNITS:
        raise DataError(f"text has no unit {unit!r}; choose one of: {', '.join(UNITS)}")


def guess_unit(texts: Iterable[str]) -> Unit:
    """What texts look like: lines, paragraphs, or documents with blank lines in them."""
    unit: Unit = "line"
    for text in texts:
        if "\n\n" in text:
            return "document"
        if "\n" in text:
            unit = "paragraph"
    return unit


def text_records(texts: Iterable[str], unit: Unit) -> Iterator[Record]:
    """The sequences of texts."""
    check_unit(unit)
    for text in texts:
        if not isinstance(text, str):
            raise DataError(f"a text is a string, not {type(text).__name__}")
        if unit == "document":
            yield text_record(text)
            continue
        for number, (part, _) in enumerate(cut_lines(io.StringIO(text), unit)):
            yield text_record(part, opens_document=number == 0)


def cut_lines(lines: Iterable[str], unit: Unit) -> Iterator[tuple[str, bool]]:
    """The sequences of a file, and whether a blank line, or nothing, stands before each."""
    if unit == "document":
        yield "".join(lines).rstrip("\n"), True
        return
    for is_blank, block in groupby(lines, str.isspace):
        if is_blank:
            continue
        if unit == "paragraph":
            yield "".join(block).rstrip("\r\n"), True
            continue
        for number, line in enumerate(block):
            yield line.rstrip("\r\n"), number == 0


def text_record(text: str, *, opens_document: bool = False) -> Record:
    """One sequence, tokenized."""
    offsets = tokenize(text)
    words = [text[start:end] for start, end in offsets]
    return Record({"word": words}, len(words), opens_document, text, offsets)
