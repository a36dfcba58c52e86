"""Whether a project that is opened holds what we write into one: it may come from a stranger."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from dovetail.errors import DataError
from dovetail.io.bounded import FREE
from dovetail.io.facts import (
    Check,
    anything,
    fields,
    finite,
    list_of,
    mapping,
    mapping_of,
    or_none,
    text,
    unique,
    whole,
)
from dovetail.limits import limits
from dovetail.studio.annotation import (
    Annotation,
    Document,
    annotation_from_json,
    check_span,
    span_from_json,
)
from dovetail.studio.delta import SPANS
from dovetail.studio.journal import SUGGESTED
from dovetail.studio.layers import read_layers

UNREADABLE = (ValueError, TypeError, KeyError, IndexError, RecursionError)
Select = Callable[..., list[Any]]
ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")  # half a character, perhaps


def refuse_links(folder: Path) -> None:
    """Refuse links in the folder of a project: what is written there would be written elsewhere."""
    for path in (folder, *(one for one in folder.iterdir() if one.is_dir())):
        for entry in path.iterdir():
            if entry.is_symlink():
                raise DataError(
                    f"{entry} is a link: a project has its files in its own folder, remove it"
                )


def check_stored(select: Select, path: Path) -> None:
    """Refuse a project of which any value is none that this program writes."""
    for what, check in (
        ("file", _check_whole),
        ("settings", _check_settings),
        ("sources", _check_sources),
        ("documents and annotations", _check_documents),
        ("journal", _check_journal),
    ):
        try:
            check(select)
        except (*UNREADABLE, sqlite3.Error, DataError) as error:
            why = f": {error}" if isinstance(error, DataError) else ""
            raise DataError(
                f"{path} is damaged, or no project of ours, in its {what}{why}"
            ) from None


def parse_stored(value: str, check: Check = anything) -> Any:
    """A value that is stored as JSON and passes a check."""
    found = json.loads(value)
    if ESCAPED.search(value):
        json.dumps(found, ensure_ascii=False).encode()
    if not check(found):
        raise ValueError(value)
    return found


def decompress_stored(content: bytes) -> bytes:
    """The file that is kept in a project, if it keeps to the limit of expansion."""
    most = max(FREE, limits.expansion * len(content))
    unpack = zlib.decompressobj()
    found = unpack.decompress(content, most)
    if unpack.unconsumed_tail or not unpack.eof:
        raise DataError(
            "a file that is kept there is damaged, or grows to more than "
            f"{limits.expansion} times its size; {limits.hint('expansion')}"
        )
    return found


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _check_whole(select: Select) -> None:
    for pragma in ("quick_check(1)", "foreign_key_check"):
        faults = [row for row in select(f"PRAGMA {pragma}") if row[0] != "ok"]
        if faults:
            raise DataError(str(faults[0][0]))


SETTINGS: dict[str, Check] = {
    "layers": list_of(mapping),
    "old taggers": lambda value: unique(value) and all(map(_is_file_name, value)),
    "same": mapping_of(text),
    "strategy": text,
}


def _is_file_name(name: str) -> bool:
    return bool(name.strip(". ")) and not any(one in name for one in "/\\\0")


def _check_settings(select: Select) -> None:
    for name, value in select("SELECT key, value FROM settings"):
        found = parse_stored(value, SETTINGS.get(name, anything))
        if name == "layers":
            read_layers(found)
    for (value,) in select("SELECT value FROM meta WHERE key = 'label maps'"):
        for at, layer, labels in parse_stored(value, list_of(list_of(anything))):
            _require(whole(at) and text(layer) and mapping_of(or_none(text))(labels))


_DETAILS = {
    "layers": mapping_of(text),
    "schemes": mapping_of(text),
    "columns": list_of(text),
    "digest": text,
}


def _check_sources(select: Select) -> None:
    for details, is_kept in select("SELECT details, content IS NOT NULL FROM sources"):
        found = parse_stored(details, mapping)
        _require(all(name in _DETAILS and _DETAILS[name](v) for name, v in found.items()))
        if is_kept:
            _require({"layers", "schemes", "columns"} <= found.keys())
            _require(found["schemes"].keys() == found["layers"].keys())
            _require({*found["layers"].values()} <= {*found["columns"]})
            _require({*found["schemes"].values()} <= {"IOB1", "IOB2", "IOBES", "none"})


_spans_of_text = list_of(list_of(whole))
_BODY = fields(
    tokens=list_of(text),
    offsets=_spans_of_text,
    bounds=list_of(whole),
    ranges=_spans_of_text,
    columns=mapping_of(list_of(or_none(text))),
)
_PLACE = or_none(list_of(or_none(list_of(whole))))


def read_document(id: int, name: str, words: str, body: str) -> Document:
    """A document as it is stored."""
    parts = json.loads(body)
    return Document(
        id,
        name,
        words,
        tuple(parts["tokens"]),
        tuple((start, end) for start, end in parts["offsets"]),
        tuple(parts["bounds"]),
        tuple((start, end) for start, end in parts["ranges"]),
        {column: tuple(values) for column, values in parts["columns"].items()},
    )


def _check_documents(select: Select) -> None:
    annotations: dict[int, list[Annotation]] = {}
    for number, value, done, flag in select("SELECT document, value, done, flag FROM annotations"):
        found = annotation_from_json(parse_stored(value, mapping))
        _require((found.done, found.flag) == (done, flag) and text(found.note))
        _require(type(found.done) is bool and type(found.flag) is bool)
        annotations.setdefault(number, []).append(found)
    for id, name, words, body, place in select("SELECT id, name, text, body, place FROM documents"):
        parse_stored(body, _BODY)
        document = read_document(id, name, words, body)
        _check_document(document)
        for annotation in annotations.get(id, ()):
            _check_annotation(annotation, document)
        places = parse_stored(place, _PLACE)
        lengths = [end - start for start, end in document.sequences]
        known = [None if one is None else len(one) for one in places or ()]
        _require(not any(one is not None for one in known) or known == lengths)


def _check_document(document: Document) -> None:
    n = len(document.tokens)
    _require(len(document.offsets) == n and _are_in_order(document.offsets, len(document.text)))
    _require(all(len(values) == n for values in document.columns.values()))
    _require(document.bounds[:1] == (0,) and document.bounds[-1:] == (n,))
    _require(all(one < other for one, other in pairwise(document.bounds)))
    _require(len(document.ranges) == len(document.bounds) - 1)
    _require(_are_in_order(document.ranges, len(document.text)))
    for (first, end), (left, right) in zip(document.sequences, document.ranges, strict=True):
        _require(left <= document.offsets[first][0] and document.offsets[end - 1][1] <= right)


def _are_in_order(places: tuple[tuple[int, int], ...], length: int) -> bool:
    return all(start <= end <= length for start, end in places) and all(
        one[1] <= other[0] for one, other in pairwise(places)
    )


def _check_annotation(annotation: Annotation, document: Document) -> None:
    for span in (*annotation.spans, *annotation.rejected):
        check_span(span, document, [span.label])
    _require(all(not one.overlaps(other) for one, other in pairwise(annotation.spans)))
    _require([*annotation.spans] == sorted(annotation.spans))


_STATES: dict[str, Check] = {
    "done": lambda value: type(value) is bool,
    "flag": lambda value: type(value) is bool,
    "note": text,
}
_SUGGESTED = fields(
    spans=list_of(fields(start=whole, end=whole, label=text, probability=finite)), labelled=whole
)


def _check_journal(select: Select) -> None:
    bodies = select("SELECT id, body FROM documents")
    sizes = {id: len(json.loads(body)["tokens"]) for id, body in bodies}
    rows = select("SELECT time, document, kind, before, after FROM journal")
    for time, document, kind, *deltas in rows:
        datetime.fromisoformat(time)
        before, after = (parse_stored(delta, mapping) for delta in deltas)
        if kind == SUGGESTED:
            _require(before == {} and _SUGGESTED(after))
            continue
        for delta in (before, after):
            _check_delta(delta, sizes[document])


def _check_delta(delta: dict[str, Any], n: int) -> None:
    for name, value in delta.items():
        if name in SPANS:
            _require(isinstance(value, list))
            for span in map(span_from_json, value):
                _require(0 <= span.start < span.end <= n)
        else:
            _require(name in _STATES and _STATES[name](value))
