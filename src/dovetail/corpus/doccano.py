"""The JSON lines of doccano: a text a line, and its labelled spans.

Exports have them under "label", as ``[start, end, label]``, or under "entities", as objects with
``start_offset`` and ``end_offset``; older ones under "labels". Offsets count characters (code
points). doccano keeps whatever else a line has, so "document" tells neighbours of one document.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from dovetail.corpus.jsonl import parse_document, parse_line
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import (
    SpanReader,
    Tokens,
    character_spans,
    document_numbers,
    require_text,
)
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text, write_text

KEYS = ("label", "labels", "entities")


def read_doccano(path: PathLike, *, tokens: Tokens = "words") -> Corpus:
    """Read an export of doccano; each text is a sequence, its spans are IOB2 labels.

    ``tokens`` are words, or what stands between "blanks". A text without any key for spans has no
    labels.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "export.jsonl")
    >>> _ = path.write_text('{"text": "EU rejects", "label": [[0, 2, "ORG"]]}\\n')
    >>> read_doccano(path).lists("label")
    [['B-ORG', 'O']]
    """
    return to_corpus(_records(path, tokens), ["word"])


def stream_doccano(
    path: PathLike, *, tokens: Tokens = "words", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """Read an export of doccano as a stream of corpora of ``chunk_size`` texts."""
    return to_chunks(_records(path, tokens), chunk_size, ["word"])


def write_doccano(corpus: Corpus, target: PathLike | TextIO, *, label: str = "label") -> None:
    """Write texts and the spans of a column for import into doccano.

    >>> import sys
    >>> write_doccano(Corpus.from_texts(["EU rejects"]), sys.stdout)
    {"text": "EU rejects"}
    """
    require_text(corpus, "doccano")
    with write_text(target) as file:
        for sequence, document in zip(corpus, document_numbers(corpus), strict=True):
            line: dict[str, Any] = {"text": sequence.text}
            found = character_spans(sequence, label)
            if found is not None:
                line["label"] = found
            if document is not None:
                line["document"] = document
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def recognizes(path: Path) -> bool:
    """Whether the first of its JSON lines that is more than text has labels as doccano does."""
    if not path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson")) or not os.path.exists(
        path
    ):
        return False
    with open_text(path) as file:
        for line in filter(str.strip, file):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                return False
            if not isinstance(value, dict) or {"tokens", "spans"} & value.keys():
                return False
            if not value.keys().isdisjoint(KEYS):
                return True
    return False


def _records(path: PathLike, tokens: Tokens) -> Iterator[Record]:
    reader = SpanReader(os.fspath(path), tokens)
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{os.fspath(path)}:{number}"
            value = parse_line(line, where)
            if "text" not in value:
                raise DataError(f'{where}: there is no "text"')
            given = next((value[key] for key in KEYS if value.get(key) is not None), None)
            found = given if not isinstance(given, list) else [_span(item) for item in given]
            record = reader.record(value["text"], found, where, parse_document(value))
            if record is not None:
                yield record
    reader.report()


def _span(item: Any) -> Any:
    if isinstance(item, dict) and "start_offset" in item:
        return [item["start_offset"], item.get("end_offset"), item.get("label")]
    return item
