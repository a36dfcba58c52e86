"""Alterations that know the structure of a file, so that they get past its first checks.

Each takes a file's bytes and a random generator and gives other bytes. Where a file cannot be
taken apart any more, its bytes are altered as they are.
"""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from dovetail.errors import DovetailError
from dovetail.io.model_file import open_model, to_bytes

Mutator = Callable[[bytes, random.Random], bytes]

NUMBERS = (
    *(0, 1, -1, 2, 5, 127, 255, 65_535, 65_536, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64),
    *(-(2**31), -(2**63), 10**400, 0.5, -0.0, 1e-320, 1e308, float("inf"), float("nan")),
)
TEXTS = (
    *("", " ", "\0", "\n", "\t", "O", "B-", "I-PER", "B-PER", "-", "_", "\ufeff", "\u2028", "\r"),
    *("é", "e\u0301", "日本", "😀", "\u202e", "\x1b[31m", "a" * 300, "9" * 5000, "[" * 200, "NaN"),
    *("..", "/dev/null", "a/b", "%s", "${x}", "<b>", "&#0;", "&lt;", "'", '"', "\\", "(a+)+b", "#"),
)


def mutate_bytes(content: bytes, chance: random.Random) -> bytes:
    """Bytes changed, cut out, doubled, or put elsewhere."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 8))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 1, 2, 4, 16, 100)))
        match chance.randrange(6):
            case 0:
                data[start:end] = chance.randbytes(end - start)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end] * chance.choice((1, 2, 50))
            case 3:
                data[start:end] = chance.choice(TEXTS).encode()
            case 4:
                value = int(chance.choice(NUMBERS[:18])) & (2**64 - 1)
                data[start:end] = value.to_bytes(8, "little")[: max(1, end - start)]
            case _:
                elsewhere = chance.randrange(len(data) + 1)
                data[elsewhere:elsewhere] = data[start:end]
    return bytes(data)


def mutate_lines(content: bytes, chance: random.Random) -> bytes:
    """Lines, and the fields in them, changed, left out, doubled or exchanged."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(len(lines))
        match chance.randrange(7):
            case 0:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines.insert(at, chance.choice(("", " ", "#", "# a = b", "-DOCSTART- O")))
            case 3:
                lines[at] = chance.choice(TEXTS) + lines[at]
            case 4:
                lines[at] += chance.choice(TEXTS)
            case _:
                separator = chance.choice((" ", "\t", ":", "=", "[", ",", '"'))
                fields = lines[at].split(separator)
                field = chance.randrange(len(fields))
                fields[field] = chance.choice((*TEXTS, *map(str, NUMBERS), *fields))
                lines[at] = separator.join(fields)
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def mutate_value(value: Any, chance: random.Random) -> Any:
    """A value of JSON in which something, at any depth, is another value."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        return _mutate_object(value, chance)
    if isinstance(value, list) and value and chance.random() < 0.9:
        changed, at = list(value), chance.randrange(len(value))
        match chance.randrange(8):
            case 0:
                del changed[at]
            case 1:
                changed.insert(at, changed[chance.randrange(len(value))])
            case 2:
                changed *= chance.choice((2, 2, 300))
            case _:
                changed[at] = mutate_value(changed[at], chance)
        return changed
    if isinstance(value, str) and value and chance.random() < 0.5:
        return mutate_lines(value.encode("utf-8", "replace"), chance).decode("utf-8", "replace")
    if isinstance(value, int | float) and chance.random() < 0.6:
        return value + chance.choice((1, -1, 2, 100))
    others = (None, True, False, [], {}, [[]], {"": None}, [0], "x", *NUMBERS, *TEXTS)
    return chance.choice(others)


def _mutate_object(value: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    changed = dict(value)
    key = chance.choice(list(changed))
    match chance.randrange(8):
        case 0:
            del changed[key]
        case 1:
            changed[chance.choice(TEXTS)] = changed[key]
        case 2:
            changed[key] = chance.choice(list(changed.values()))
        case _:
            changed[key] = mutate_value(changed[key], chance)
    return changed


def mutate_json(content: bytes, chance: random.Random) -> bytes:
    """A JSON value, or one of several in lines, with something else in it."""
    lines = content.splitlines() or [b""]
    whole = chance.random() < 0.3 or len(lines) == 1
    at = 0 if whole else chance.randrange(len(lines))
    try:
        value = json.loads(content if whole else lines[at])
    except (ValueError, RecursionError):
        return mutate_lines(content, chance)
    changed = json.dumps(mutate_value(value, chance), ensure_ascii=chance.random() < 0.5)
    if whole:
        return changed.encode("utf-8", "replace")
    lines[at] = changed.encode("utf-8", "replace")
    return b"\n".join(lines)


def mutate_xml(content: bytes, chance: random.Random) -> bytes:
    """XML that is still well-formed, with other elements, texts or names."""
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError):
        return mutate_lines(content, chance)
    elements = list(root.iter())
    for _ in range(chance.choice((1, 1, 2, 4))):
        one, other = chance.choice(elements), chance.choice(elements)
        match chance.randrange(6):
            case 0:
                one.tag = other.tag
            case 1 if other not in one.iter() and one not in other.iter():
                one.append(other)
            case 2:
                one[:] = []
            case 3:
                one.set(chance.choice(("n", "id", "unit")), _printable(chance.choice(TEXTS)))
            case 4:
                one.tail = _printable(chance.choice(TEXTS))
            case _:
                one.text = _printable(chance.choice(TEXTS))
    return bytes(ElementTree.tostring(root, encoding="utf-8"))


def _printable(text: str) -> str:
    return "".join(c for c in text if c >= " " or c in "\t\n\r")


def mutate_gzip(content: bytes, chance: random.Random) -> bytes:
    """A compressed file with other content, or compressed in several parts."""
    try:
        inside = mutate_json(gzip.decompress(content), chance)
    except (OSError, EOFError, zlib.error):
        return mutate_bytes(content, chance)
    middle = chance.randrange(len(inside) + 1)
    parts = [inside] if chance.random() < 0.7 else [inside[:middle], inside[middle:]]
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


def mutate_model(content: bytes, chance: random.Random) -> bytes:
    """A model of ours with other facts or other numbers, and checksums that fit them."""
    try:
        file = open_model(content, verify=False)
        arrays = {name: _read_array(file, name) for name in _arrays_of(content)}
    except (DovetailError, ValueError, TypeError, KeyError, AttributeError):
        return mutate_bytes(content, chance)
    facts: Any = file.facts
    for _ in range(chance.choice((1, 1, 2, 4))):
        if chance.random() < 0.6 or not arrays:
            facts = mutate_value(facts, chance)
        else:
            name = chance.choice(sorted(arrays))
            arrays[name] = _mutate_array(arrays[name], chance)
    try:
        return to_bytes(arrays, facts)
    except (ValueError, TypeError, UnicodeEncodeError):
        return mutate_bytes(content, chance)


def _arrays_of(content: bytes) -> dict[str, Any]:
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return {name: entry for name, entry in header.items() if name != "__metadata__"}


_TYPES = {"U8": "|u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "F32": "<f4", "F64": "<f8"}


def _read_array(file: Any, name: str) -> Any:
    entry = _arrays_of(bytes(file.content))[name]
    return np.frombuffer(file.array(name), _TYPES[entry["dtype"]]).reshape(entry["shape"])


def _mutate_array(array: Any, chance: random.Random) -> Any:
    flat = array.ravel().copy()
    match chance.randrange(5):
        case 0:
            return flat[: chance.randrange(len(flat) + 1)]
        case 1:
            return np.concatenate([flat, flat[: chance.choice((1, 2, 1000))]])
        case _ if len(flat):
            for _ in range(chance.choice((1, 1, 3, 20))):
                value: Any = chance.choice(NUMBERS)
                if flat.dtype.kind == "u":
                    whole = value if isinstance(value, int) else chance.randrange(2**16)
                    value = whole % 2 ** (8 * flat.itemsize)
                elif isinstance(value, int) and value > 10**300:
                    value = float("inf")
                with np.errstate(over="ignore"):
                    flat[chance.randrange(len(flat))] = value
    return flat.reshape(array.shape)


def mutate_database(content: bytes, chance: random.Random) -> bytes:
    """A file of SQLite in which some cells have other values, and rarely with something new."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        run = database.execute
        try:
            database.deserialize(content)
            made = dict(run("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
            for name in made:
                run(f"DROP TRIGGER {name}")
            for _ in range(chance.choice((1, 1, 2, 4))):
                _mutate_cell(database, chance)
            for statement in made.values():
                run(statement)
            if chance.random() < 0.02:
                run("CREATE VIEW more AS SELECT * FROM sqlite_master")
            return bytes(database.serialize())
        except (sqlite3.Error, OverflowError, UnicodeError):
            return mutate_bytes(content, chance)


def _mutate_cell(database: sqlite3.Connection, chance: random.Random) -> None:
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    table = chance.choice([name for (name,) in database.execute(tables)])
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    column = chance.choice(columns)
    key = columns[0]
    rows = database.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
    if not rows:
        return
    number, value = chance.choice(rows)
    if chance.random() < 0.1:
        database.execute(f"DELETE FROM {table} WHERE {key} IS ?", (number,))
        return
    if isinstance(value, str):
        value = mutate_json(value.encode(), chance).decode("utf-8", "replace")
    elif isinstance(value, bytes):
        value = chance.choice((mutate_bytes(value, chance), zlib.compress(b"a b\n" * 9), None))
    else:
        value = chance.choice((*NUMBERS[:18], None, 0.5, "x"))
    database.execute(f"UPDATE {table} SET {column} = ? WHERE {key} IS ?", (value, number))


def seeded(mutate: Mutator, content: bytes, most: int, seed: int) -> bytes:
    """The content altered, as a function of the seed, and no longer than ``most`` bytes."""
    chance = random.Random(seed)
    chosen = mutate if chance.random() < 0.8 else mutate_bytes
    return chosen(content, chance)[:most]


MUTATORS: dict[str, Callable[[bytes, int, int], bytes]] = {
    "bytes": partial(seeded, mutate_bytes),
    "lines": partial(seeded, mutate_lines),
    "json": partial(seeded, mutate_json),
    "xml": partial(seeded, mutate_xml),
    "gzip": partial(seeded, mutate_gzip),
    "model": partial(seeded, mutate_model),
    "database": partial(seeded, mutate_database),
}
