"""Plain text: a tokenizer that keeps track of offsets, and a reader of one sequence a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from dovetail.corpus.records import CHUNK_SIZE, Record, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.files import PathLike, open_text

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_JOINERS = "\u200c\u200d"


def tokenize(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text start and end, in characters.

    A token is a number with ``.``, ``,`` or ``:`` between its digits, a run of letters, digits
    and the marks that belong to them, a single Chinese character, or any other single character
    that is not white space.

    >>> text = "At 3:30 p.m. in Köln."
    >>> [text[start:end] for start, end in tokenize(text)]
    ['At', '3:30', 'p', '.', 'm', '.', 'in', 'Köln', '.']
    """
    return [match.span() for match in _token().finditer(text)]


@cache
def _token() -> re.Pattern[str]:
    # Python's \w lacks the combining marks, without which the words of many scripts fall apart.
    letter = rf"(?:(?![{_HAN}])[\w{_marks()}{_JOINERS}])"
    return re.compile(rf"\d+(?:[.,:]\d+)+|[{_HAN}][{_marks()}]*|{letter}+|\S")


@cache
def _marks() -> str:
    """All combining marks, as ranges for a regular expression."""
    ranges: list[str] = []
    first = None
    for point in range(0x300, 0x20000):
        is_mark = unicodedata.category(chr(point)).startswith("M")
        if is_mark and first is None:
            first = point
        elif not is_mark and first is not None:
            ranges.append(f"{chr(first)}-{chr(point - 1)}")
            first = None
    return "".join(ranges) + "\U000e0100-\U000e01ef"


def read_text(path: PathLike) -> Corpus:
    """Read plain text: each line is a sequence, blank lines divide documents.

    The lines are kept as ``texts`` and the places of the tokens as ``offsets``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_text("Hello, world.\\n")
    >>> read_text(path).lists("word")
    [['Hello', ',', 'world', '.']]
    """
    return to_corpus(_records(path), ["word"])


def stream_text(path: PathLike, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Corpus]:
    """Read plain text as a stream of corpora of ``chunk_size`` lines, in bounded memory."""
    return to_chunks(_records(path), chunk_size, ["word"])


def _records(path: PathLike) -> Iterator[Record]:
    opens_document = started = False
    with open_text(path) as file:
        for line in file:
            text = line.rstrip("\n")
            offsets = tokenize(text)
            if not offsets:
                opens_document = started
                continue
            words = [text[start:end] for start, end in offsets]
            yield Record({"word": words}, len(words), opens_document, text, offsets)
            opens_document, started = False, True
