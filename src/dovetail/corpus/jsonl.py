"""JSON lines, one sequence a line, in one of two shapes.

Tokens: ``{"tokens": ["EU", "rejects"], "labels": ["B-ORG", "O"]}``. Further lists of strings, as
long as the tokens, become columns under their own names; ``null`` is a missing value.

Text: ``{"text": "EU rejects", "spans": [[0, 2, "ORG"]]}``, where a span may also be an object with
start, end and label. Offsets count characters (code points). The text is tokenized, and the spans
become IOB2 labels; a span that starts or ends within a token is widened to the whole token, and
how many were is logged. Without "spans" the labels are missing.

Tokens may also have their "text" and "offsets", ``[start, end]`` each. In either shape lines that
follow one another with the same "document", a number or a string, are one document.

Other keys are ignored, and so are lines without any token.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TextIO, TypeGuard

from dovetail.corpus.json_spans import parse_spans, snap_to_tokens
from dovetail.corpus.labels import labels_from_spans
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import character_spans, document_numbers
from dovetail.corpus.table import Corpus, Sequence
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text, write_text

_log = logging.getLogger(__name__)


def read_jsonl(path: PathLike, *, labels: str = "labels") -> Corpus:
    """Read JSON lines as columns "word" and "label"; ``labels`` is the key of the label lists.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.jsonl")
    >>> _ = path.write_text('{"text": "EU rejects", "spans": [[0, 2, "ORG"]]}\\n')
    >>> read_jsonl(path).lists("label")
    [['B-ORG', 'O']]
    """
    return to_corpus(_records(path, labels), ["word"])


def stream_jsonl(
    path: PathLike, *, labels: str = "labels", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """Read JSON lines as a stream of corpora of ``chunk_size`` sequences, in bounded memory."""
    return to_chunks(_records(path, labels), chunk_size, ["word"])


def write_jsonl(
    corpus: Corpus,
    target: PathLike | TextIO,
    *,
    shape: Literal["tokens", "text"] = "tokens",
    label: str = "label",
) -> None:
    """Write a corpus as JSON lines.

    The shape "tokens" has everything: all columns, with "word" as "tokens" and the column
    ``label`` as "labels", texts and offsets. The shape "text" has the raw text, which the corpus
    must hold, and the spans of the column ``label``, read leniently whatever their scheme.
    Documents have numbers.

    >>> import sys
    >>> write_jsonl(Corpus.from_lists({"word": [["EU"]], "label": [["B-ORG"]]}), sys.stdout)
    {"tokens": ["EU"], "labels": ["B-ORG"]}
    """
    if shape not in ("tokens", "text"):
        raise DataError(f"there is no JSON lines shape {shape!r}: choose tokens or text")
    if shape == "text" and (corpus.texts is None or corpus.offsets is None):
        raise DataError("this corpus has no raw text with offsets: write the shape tokens instead")
    with write_text(target) as file:
        for sequence, document in zip(corpus, document_numbers(corpus), strict=True):
            line = _with_spans(sequence, label) if shape == "text" else _columns(sequence, label)
            _add(line, "document", document)
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def find_unread(path: PathLike) -> list[str]:
    """What of a file is not read, as phrases for a person: how probable spans are."""
    if os.fspath(path) == "-":  # which is read only once
        return []
    with open_text(path) as file:
        if not any('"probability"' in line and _has_probabilities(line) for line in file):
            return []
    return ["the probabilities of spans are left out (dovetail tag can write label-studio itself)"]


def _has_probabilities(line: str) -> bool:
    spans = parse_json(line, "").get("spans")
    return isinstance(spans, list) and any(
        isinstance(span, dict) and "probability" in span for span in spans
    )


def _columns(sequence: Sequence, label: str) -> dict[str, Any]:
    keys = {"word": "tokens", label: "labels"}
    line: dict[str, Any] = {}
    for name in sequence.names:
        _add(line, keys.get(name, name), sequence[name])
    _add(line, "text", sequence.text)
    _add(line, "offsets", None if sequence.offsets is None else sequence.offsets.tolist())
    return line


def _add(line: dict[str, Any], key: str, value: object) -> None:
    if value is None:
        return
    if key in line:
        raise DataError(
            f"a column cannot be called {key!r} in JSON lines, which have another {key}"
        )
    line[key] = value


def _with_spans(sequence: Sequence, label: str) -> dict[str, Any]:
    line: dict[str, Any] = {"text": sequence.text}
    found = character_spans(sequence, label)
    if found is not None:
        line["spans"] = found
    return line


def parse_document(value: dict[str, Any]) -> object:
    """The document that a line says it belongs to."""
    document = value.get("document")
    return document if isinstance(document, str | int) else None


def _records(path: PathLike, labels: str) -> Iterator[Record]:
    shape = None
    widened = empty = 0
    document: object = None
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{os.fspath(path)}:{number}"
            value = parse_line(line, where)
            this = "text" if "text" in value and "tokens" not in value else "tokens"
            shape = shape or this
            if this != shape:
                raise DataError(f"{where}: this line has {this} where earlier lines have {shape}")
            if this == "text":
                record, snapped = _from_text(value, where)
                widened += snapped
            else:
                record = _from_tokens(value, labels, where)
            if not record.length:
                empty += 1
                continue
            before, document = document, parse_document(value)
            yield replace(record, opens_document=document not in (None, before))
    if widened:
        _log.warning("%s: %d spans were widened to whole tokens", os.fspath(path), widened)
    if empty:
        _log.warning("%s: %d lines without tokens were left out", os.fspath(path), empty)


def parse_line(line: str, where: str) -> dict[str, Any]:
    """The JSON object on a line."""
    value = parse_json(line, where)
    if not isinstance(value, dict):
        raise DataError(f"{where}: a JSON object was expected, not {line.strip()[:40]!r}")
    return value


def parse_json(text: str, where: str) -> Any:
    """JSON whose strings are text."""
    try:
        value = json.loads(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DataError(f"{where}: half of a surrogate pair, which is not a character") from None
    except RecursionError:
        raise DataError(f"{where}: brackets are nested too deeply") from None
    except ValueError as error:
        raise DataError(f"{where}: not JSON: {error}") from None
    return value


def _from_tokens(value: dict[str, Any], labels: str, where: str) -> Record:
    tokens = value.get("tokens")
    if not _is_strings(tokens):
        raise DataError(f'{where}: neither "text" nor "tokens", a list of strings, is there')
    if labels in value and not _is_strings(value[labels]):
        raise DataError(f"{where}: {labels!r} must be a list of strings")
    columns: dict[str, list[str | None]] = {"word": tokens}
    for key, strings in value.items():
        if key == "tokens" or not _is_strings(strings) or not (strings or key == labels):
            continue
        name = "label" if key == labels else key
        if name in columns:
            raise DataError(f"{where}: the column {name!r} is there twice")
        if len(strings) != len(tokens):
            raise DataError(f"{where}: {len(strings)} {key} for {len(tokens)} tokens")
        columns[name] = strings
    text = value["text"] if isinstance(value.get("text"), str) else None
    offsets = None
    if text is not None and value.get("offsets") is not None:
        offsets = _checked_offsets(value["offsets"], len(tokens), len(text), where)
    return Record(columns, len(tokens), text=text, offsets=offsets)


def _checked_offsets(value: Any, n: int, length: int, where: str) -> list[tuple[int, int]]:
    if not isinstance(value, list) or len(value) != n:
        raise DataError(f'{where}: "offsets" must be a list of as many pairs as there are tokens')
    at = 0
    for number, pair in enumerate(value, 1):
        if (
            not isinstance(pair, list)
            or [type(part) for part in pair] != [int, int]
            or not 0 <= pair[0] < pair[1] <= length
        ):
            raise DataError(
                f"{where}: token {number} has the offsets {pair} in a text of {length} characters"
            )
        if pair[0] < at:
            raise DataError(f"{where}: token {number} begins before the end of the one before it")
        at = pair[1]
    return [(start, end) for start, end in value]


def _is_strings(value: object) -> TypeGuard[list[str | None]]:
    return isinstance(value, list) and all(v is None or isinstance(v, str) for v in value)


def _from_text(value: dict[str, Any], where: str) -> tuple[Record, int]:
    text = value["text"]
    if not isinstance(text, str):
        raise DataError(f'{where}: "text" must be a string')
    offsets = tokenize(text)
    columns: dict[str, list[str | None]] = {"word": [text[a:b] for a, b in offsets]}
    snapped = 0
    if value.get("spans") is not None:
        found, snapped = snap_to_tokens(
            parse_spans(value["spans"], len(text), where), offsets, where
        )
        columns["label"] = [*labels_from_spans(found, len(offsets))]
    return Record(columns, len(offsets), text=text, offsets=offsets), snapped
