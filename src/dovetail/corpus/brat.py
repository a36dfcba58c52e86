"""Brat's standoff files: a text in ``name.txt``, its labelled spans in ``name.ann``.

Read are the lines ``T1<tab>ORG 0 2<tab>EU``; relations, events, attributes and notes are passed
over. The fragments of a span are one span if only white space stands between them (so brat writes
spans that go over a line's end), and are refused if anything else does.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from dovetail.corpus.labels import Span
from dovetail.corpus.markup import natural_order
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import SpanReader, Tokens, character_spans, require_text
from dovetail.corpus.table import Corpus
from dovetail.corpus.texts import UNITS, Unit
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text, write_text

_log = logging.getLogger(__name__)
_SPAN = re.compile(r"T\S*\t(\S+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)(?:\t(.*))?")
_OTHER = re.compile(r"(?:[REAMN]\d\S*|#\S*|\*)\t.*")
_LINE = r"[^\S\n]*+\S[^\n]*"  # which is not blank
_UNITS = {
    "line": re.compile(rf"^{_LINE}", re.MULTILINE),
    "paragraph": re.compile(rf"^{_LINE}(?:\n{_LINE})*", re.MULTILINE),
}


def read_brat(path: PathLike, *, unit: Unit = "line", tokens: Tokens = "words") -> Corpus:
    """Read a pair of files, named by either of them, or all pairs of a folder.

    Each pair is a document, and each ``unit`` of its text a sequence with IOB2 labels. ``tokens``
    are words, or what stands between "blanks". A text without an ``.ann`` file has no labels.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "talk.txt")
    >>> _ = path.write_text("EU rejects"), path.with_suffix(".ann").write_text("T1\\tORG 0 2\\tEU")
    >>> read_brat(path).lists("label")
    [['B-ORG', 'O']]
    """
    return to_corpus(_records(path, unit, tokens), ["word"])


def stream_brat(
    path: PathLike, *, unit: Unit = "line", tokens: Tokens = "words", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences."""
    return to_chunks(_records(path, unit, tokens), chunk_size, ["word"])


def write_brat(corpus: Corpus, target: PathLike, *, label: str = "label") -> None:
    """Write a document as a pair of files, named by either of them, or several into a new folder.

    The sequences of a document are its lines. A corpus without documents is one, unless some of
    its sequences go over lines themselves: then each of them is a document.
    """
    require_text(corpus, "brat")
    path = Path(os.fspath(target))
    bounds = document_bounds(corpus)
    if path.suffix in (".txt", ".ann"):
        if len(bounds) != 2:
            raise DataError(f"{path} can hold one document, not {len(bounds) - 1}: name a folder")
        other = path.with_suffix({".txt": ".ann", ".ann": ".txt"}[path.suffix])
        if other.exists() and not path.exists():
            raise DataError(f"{other} is there already and would be written too: choose a new name")
        _write_pair(corpus, path.with_suffix(""), label)
        return
    if not path.name or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise DataError(f"{path} is there already: name a new folder")
    building = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        building.mkdir()
        for number, (first, last) in enumerate(pairwise(bounds), start=1):
            _write_pair(corpus[first:last], building / str(number), label)
        building.rename(path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)


def recognizes(path: Path) -> bool:
    """Whether this is a folder of brat's files, or a text with annotations beside it."""
    if os.path.isdir(path):
        return any(path.glob("*.ann"))
    return path.suffix == ".txt" and os.path.exists(path.with_suffix(".ann"))


def find_losses(corpus: Corpus) -> list[str]:
    """What files do not hold: where sequences of several lines begin and end."""
    if not any("\n" in text for text in corpus.texts or ()):
        return []
    if len(document_bounds(corpus)) <= len(corpus):
        return ["sequences of several lines read back as others"]
    return ["sequences read back the same only by document, not by line"]


def document_bounds(corpus: Corpus) -> list[int]:
    """Where the documents of a corpus begin and end among its sequences, as they are written."""
    if corpus.document_bounds is not None:
        return list(map(int, corpus.document_bounds))
    if any("\n" in text for text in corpus.texts or ()):
        return list(range(len(corpus) + 1))
    return [0, len(corpus)]


def _write_pair(document: Corpus, stem: Path, label: str) -> None:
    at = number = 0
    lines: list[str] = []
    for sequence in document:
        text = sequence.text or ""
        for start, end, name in character_spans(sequence, label) or ():
            if re.search(r"\s", name):
                raise DataError(f"the label {name!r} cannot be written for brat: it has blanks")
            number += 1
            shown = re.sub(r"[\r\n]", " ", text[start:end])
            lines.append(f"T{number}\t{name} {_fragments(text, start, end, at)}\t{shown}\n")
        at += len(text) + 1
    with write_text(f"{stem}.txt") as file:
        file.write("\n".join(document.texts or ()) + "\n")
    with write_text(f"{stem}.ann") as file:
        file.writelines(lines)


def _fragments(text: str, start: int, end: int, shift: int) -> str:
    parts = re.finditer(r"[^\n]+", text[start:end])
    return ";".join(f"{shift + start + p.start()} {shift + start + p.end()}" for p in parts)


def _records(path: PathLike, unit: Unit, tokens: Tokens) -> Iterator[Record]:
    if unit not in UNITS:
        raise DataError(f"text has no unit {unit!r}; choose one of: {', '.join(UNITS)}")
    reader = SpanReader(os.fspath(path), tokens)
    passed_over = 0
    for number, file in enumerate(_texts(path), start=1):
        with open_text(file, newline="") as opened:  # brat counts every character of a line end
            text = opened.read()
        spans = None
        annotations = file.with_suffix(".ann")
        if annotations.exists():
            spans, others = _read_spans(annotations, text)
            passed_over += others
        yield from _sequences(text, spans, unit, reader, str(file), number)
    if passed_over:
        _log.warning(
            "%s: %d relations, events, attributes and notes were passed over",
            os.fspath(path),
            passed_over,
        )
    reader.report()


def _texts(path: PathLike) -> list[Path]:
    given = Path(os.fspath(path))
    if not os.path.isdir(given):
        if given.suffix not in (".txt", ".ann"):
            raise DataError(f"{given} is neither a folder nor a .txt or .ann file, as brat's are")
        return [given.with_suffix(".txt")]
    files = sorted(given.glob("*.txt"), key=lambda file: natural_order(file.name))
    if not files:
        raise DataError(f"there are no .txt files in {given}")
    alone = {file.stem for file in given.glob("*.ann")} - {file.stem for file in files}
    if alone:
        raise DataError(f"{given / min(alone)}.ann has no text: {min(alone)}.txt is not there")
    return files


def _read_spans(path: Path, text: str) -> tuple[list[Span], int]:
    """The spans of a file in order, and how many other lines it has."""
    found: list[Span] = []
    others = 0
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("T"):
                found.append(_span(line, text, f"{path}:{number}"))
            elif _OTHER.fullmatch(line):
                others += 1
            elif line.strip():
                raise DataError(f"{path}:{number}: not a line of brat's: {line[:40]!r}")
    found.sort()
    for before, after in pairwise(found):
        if after.start < before.end:
            raise DataError(f"{path}: the spans {_shown(before)} and {_shown(after)} overlap")
    return found, others


def _shown(span: Span) -> str:
    return f"{span.label} {span.start} {span.end}"


def _span(line: str, text: str, where: str) -> Span:
    match = _SPAN.fullmatch(line)
    if match is None:
        raise DataError(f"{where}: not a span of brat's form, T1<tab>label start end<tab>text")
    label, places, shown = match.groups()
    fragments = [tuple(map(int, place.split())) for place in places.split(";")]
    for start, end in fragments:
        if not start < end <= len(text):
            raise DataError(f"{where}: {start}-{end} does not fit a text of {len(text)} characters")
    for (_, end), (start, _) in pairwise(fragments):
        if start < end or text[end:start].strip():
            raise DataError(
                f"{where}: the span {shown or places!r} is discontinuous, which labels of tokens "
                "cannot show; make it one or two spans"
            )
    found = " ".join(text[start:end] for start, end in fragments)
    if shown is not None and found.split() != shown.split():
        raise DataError(
            f"{where}: the span says {shown[:40]!r} where the text has {found[:40]!r}; were line "
            "ends or the encoding of the text changed?"
        )
    return Span(fragments[0][0], fragments[-1][1], label)


def _sequences(
    text: str, spans: list[Span] | None, unit: Unit, reader: SpanReader, where: str, number: int
) -> Iterator[Record]:
    if unit == "document":
        places = [(0, len(text.rstrip("\r\n")))]
    else:
        places = [match.span() for match in _UNITS[unit].finditer(text)]
    starts = [start for start, _ in places]
    within: list[list[list[int | str]]] = [[] for _ in places]
    for span in spans or ():
        k = max(bisect_right(starts, span.start) - 1, 0)
        first, last = places[k] if places else (0, 0)
        if not (first <= span.start and span.end <= last):
            raise DataError(
                f"{where}: the span {_shown(span)} goes beyond a {unit}; read the file with a "
                "larger unit, such as document"
            )
        within[k].append([span.start - first, span.end - first, span.label])
    line, counted = 1, 0
    for (first, last), found in zip(places, within, strict=True):
        part = text[first:last].rstrip("\r")
        line, counted = line + text.count("\n", counted, first), first
        if part.strip():
            given = None if spans is None else found
            record = reader.record(part, given, f"{where}:{line}", number)
            if record is not None:
                yield record
