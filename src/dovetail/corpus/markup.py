"""Text with fields marked inline, as in ``Who: <speaker>Ada Lovelace</speaker>``.

Only ``<name>`` and ``</name>`` in lower-case letters are mark-up; whatever else stands in angle
brackets, such as a mail address, is text. Fields do not nest, but marks that are ignored may lie
anywhere, also across fields.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from dovetail.corpus.json_spans import TokenPlaces
from dovetail.corpus.labels import Span, labels_from_spans
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text

_log = logging.getLogger(__name__)
_MARK = re.compile(r"<(/?)([a-z]+)>")
IGNORED = ("sentence", "paragraph")


def read_markup(path: PathLike, *, ignored: Collection[str] = IGNORED) -> Corpus:
    """Read a file as one sequence, or each file of a folder, in the order of their names' numbers.

    The fields become IOB2 labels in the column ``label``; marks called ``ignored`` are dropped. The
    text without marks is kept as ``texts``, and the places of the tokens in it as ``offsets``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "talk.txt")
    >>> _ = path.write_text("<sentence>Talk by <speaker>Ada</speaker>.</sentence>")
    >>> corpus = read_markup(path)
    >>> corpus.lists("word"), corpus.lists("label")
    ([['Talk', 'by', 'Ada', '.']], [['O', 'O', 'B-speaker', 'O']])
    """
    return to_corpus(_records(path, ignored), ["word", "label"])


def stream_markup(
    path: PathLike, *, ignored: Collection[str] = IGNORED, chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences."""
    return to_chunks(_records(path, ignored), chunk_size, ["word", "label"])


def read_markup_spans(
    path: PathLike, *, ignored: Collection[str] = IGNORED
) -> list[tuple[str, list[Span]]]:
    """The text of each file without its marks, and its fields as spans of characters, also those
    that begin or end within a token; files as of `read_markup`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "talk.txt")
    >>> _ = path.write_text("<date>3</date>rd of May")
    >>> read_markup_spans(path)
    [('3rd of May', [Span(start=0, end=1, label='date')])]
    """
    return [(text, fields) for _, text, fields in _unmarked_files(path, ignored)]


def _unmarked_files(
    path: PathLike, ignored: Collection[str]
) -> Iterator[tuple[Path, str, list[Span]]]:
    files = [Path(os.fspath(path))]
    if os.path.isdir(files[0]):
        visible = (f for f in files[0].iterdir() if f.is_file() and not f.name.startswith("."))
        files = sorted(visible, key=lambda f: natural_order(f.name))
        if not files:
            raise DataError(f"there are no files in {os.fspath(path)}")
    for file in files:
        with open_text(file) as opened:
            marked = opened.read()
        yield file, *strip_markup(marked, ignored, str(file))


def _records(path: PathLike, ignored: Collection[str]) -> Iterator[Record]:
    widened = dropped = 0
    for file, text, fields in _unmarked_files(path, ignored):
        offsets = tokenize(text)
        spans: list[Span] = []
        places = TokenPlaces(offsets)
        for field in fields:
            span, moved = places.snap(field, str(file))
            if spans and span.start < spans[-1].end:
                dropped += 1
                continue
            spans.append(span)
            widened += moved
        words: list[str | None] = [text[a:b] for a, b in offsets]
        labels: list[str | None] = [*labels_from_spans(spans, len(words))]
        columns = {"word": words, "label": labels}
        yield Record(columns, len(words), True, text, offsets)
    if widened:
        _log.warning("%s: %d fields were widened to whole tokens", os.fspath(path), widened)
    if dropped:
        _log.warning("%s: %d fields begin in another's last token: left out", path, dropped)


def strip_markup(marked: str, ignored: Collection[str], where: str) -> tuple[str, list[Span]]:
    """The text without its marks, and the fields as spans of characters in it."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = length = start = 0
    line = 1
    open_field = ""
    for mark in _MARK.finditer(marked):
        piece = marked[at : mark.start()]
        pieces.append(piece)
        length += len(piece)
        line += piece.count("\n")
        at = mark.end()
        closes, name = mark.groups()
        if name in ignored:
            continue
        if not closes:
            if open_field:
                raise DataError(f"{where}:{line}: <{name}> begins within <{open_field}>")
            open_field, start = name, length
        elif name != open_field:
            raise DataError(f"{where}:{line}: </{name}> ends what did not begin")
        else:
            open_field = ""
            if length > start:
                spans.append(Span(start, length, name))
    if open_field:
        raise DataError(f"{where}: <{open_field}> does not end")
    pieces.append(marked[at:])
    return "".join(pieces), spans


def natural_order(name: str) -> list[tuple[int, str]]:
    """Sorts 2.txt before 10.txt."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]
