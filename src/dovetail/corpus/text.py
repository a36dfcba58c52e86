"""Plain text: files and strings cut into lines, paragraphs or whole documents, and these to tokens.

Raw text and the places of its tokens are kept, so that whatever is found can be shown in it, and
features can look at its layout.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, get_args

from dovetail.corpus.records import CHUNK_SIZE, Record, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text

Unit = Literal["line", "paragraph", "document"]
UNITS: tuple[Unit, ...] = get_args(Unit)


def read_text(path: PathLike, *, unit: Unit = "line") -> Corpus:
    """Read plain text: each line, paragraph or document, which is the whole file, is a sequence.

    Blank lines divide paragraphs, and of lines and paragraphs they divide documents. The text of
    each sequence is kept as ``texts``, and the places of the tokens in it as ``offsets``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_text("Hello, world.\\nHere I am.\\n")
    >>> read_text(path).lists("word")
    [['Hello', ',', 'world', '.'], ['Here', 'I', 'am', '.']]
    >>> read_text(path, unit="document").texts
    ('Hello, world.\\nHere I am.',)
    """
    _check(unit)
    return to_corpus(_file_records(path, unit), ["word"])


def stream_text(
    path: PathLike, *, unit: Unit = "line", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """Read plain text as a stream of corpora of ``chunk_size`` sequences, in bounded memory."""
    _check(unit)
    return to_chunks(_file_records(path, unit), chunk_size, ["word"])


def texts_to_corpus(texts: Iterable[str], unit: Unit) -> Corpus:
    """Texts in memory as a corpus; see `Corpus.from_texts`."""
    _check(unit)
    return to_corpus(_text_records(texts, unit), ["word"])


def _check(unit: str) -> None:
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


def _file_records(path: PathLike, unit: Unit) -> Iterator[Record]:
    started = False
    with open_text(path) as file:
        for text, after_blank in _cut(file, unit):
            record = _record(text, opens_document=started and after_blank)
            if record.length:
                yield record
                started = True


def _text_records(texts: Iterable[str], unit: Unit) -> Iterator[Record]:
    for text in texts:
        if not isinstance(text, str):
            raise DataError(f"a text is a string, not {type(text).__name__}")
        if unit == "document":
            yield _record(text)
            continue
        for number, (part, _) in enumerate(_cut(io.StringIO(text), unit)):
            yield _record(part, opens_document=number == 0)


def _cut(lines: Iterable[str], unit: Unit) -> Iterator[tuple[str, bool]]:
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


def _record(text: str, *, opens_document: bool = False) -> Record:
    offsets = tokenize(text)
    words = [text[start:end] for start, end in offsets]
    return Record({"word": words}, len(words), opens_document, text, offsets)
