"""CRFsuite's model file, written so that CRFsuite itself can open it.

Beside what reading needs (`crfsuite_model`) this has what CRFsuite looks things up with: hash
tables over the strings, and for each label and attribute the numbers of its features.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dovetail.errors import DataError
from dovetail.interop.crfsuite_model import (
    BYTE_ORDER,
    CHUNK,
    FEATURE,
    HEADER,
    KIND,
    MAGIC,
    ON_LABEL,
    ON_MOVE,
    TABLE,
    VERSION,
)
from dovetail.interop.foreign import Ints, Weights

Words = npt.NDArray[np.uint32]
TABLES = 256  # hash tables of a string table, by the low bits of the hash
LARGEST = 2**32


def crfsuite_bytes(weights: Weights) -> bytes:
    """A whole model file; weights must be on labels and plain moves."""
    on_move = weights.feature < 0
    table = np.zeros(len(weights.weight), FEATURE)
    table["kind"] = np.where(on_move, ON_MOVE, ON_LABEL)
    table["source"] = np.where(on_move, weights.previous, weights.feature)
    table["target"], table["weight"] = weights.label, weights.weight
    numbers = np.arange(len(table))
    # CRFsuite keeps two more places, for the start and the end of a sequence, and leaves them empty
    moves_of = _lists(numbers[on_move], weights.previous[on_move], len(weights.labels))
    of_attributes = _lists(numbers[~on_move], weights.feature[~on_move], len(weights.features))

    features = CHUNK.pack(b"FEAT", CHUNK.size + table.nbytes, len(table)) + table.tobytes()
    labels = _string_table([label.encode() for label in weights.labels])
    attributes = _string_table(weights.features)
    ragged = HEADER.size + len(features) + len(labels) + len(attributes)
    attributes += b"\0" * (-ragged % 4)  # CRFsuite reads references where words are aligned
    places = np.cumsum([HEADER.size, len(features), len(labels), len(attributes)]).tolist()
    label_references = _references(b"LFRF", moves_of, places[-1], empty=2)
    places.append(places[-1] + len(label_references))
    attribute_references = _references(b"AFRF", of_attributes, places[-1])
    size = places[-1] + len(attribute_references)
    if size >= LARGEST:
        raise DataError("the model is too large for CRFsuite's format, which ends at 4 GB")
    counts = (0, len(weights.labels), len(weights.features))
    header = HEADER.pack(MAGIC, size, KIND, VERSION, *counts, *places)
    parts = (header, features, labels, attributes, label_references, attribute_references)
    return b"".join(parts)


def _lists(numbers: Ints, owners: Ints, count: int) -> list[Ints]:
    """Numbers by owner."""
    order = np.argsort(owners, kind="stable")
    ends = np.cumsum(np.bincount(owners, minlength=count))
    return np.split(numbers[order], ends[:-1])


def _references(name: bytes, lists: Sequence[Ints], at: int, empty: int = 0) -> bytes:
    """Lists of numbers, each after its length, and before them where each is in the file."""
    head = CHUNK.size + 4 * (len(lists) + empty)
    lengths = np.array([4 + 4 * len(one) for one in lists], np.int64)
    offsets = np.zeros(len(lists) + empty, "<u4")
    offsets[: len(lists)] = at + head + np.cumsum(lengths) - lengths
    body = b"".join(np.array([len(one), *one], "<u4").tobytes() for one in lists)
    chunk = CHUNK.pack(name, head + len(body), len(lists) + empty)
    return chunk + offsets.tobytes() + body


def _string_table(strings: Sequence[bytes]) -> bytes:
    """A constant database (CQDB) of strings by number and by hash."""
    ended = [text + b"\0" for text in strings]
    records = [
        np.array([number, len(text)], "<u4").tobytes() + text for number, text in enumerate(ended)
    ]
    start = TABLE.size + 8 * TABLES
    lengths = np.array([len(record) for record in records], np.int64)
    offsets = start + np.cumsum(lengths) - lengths
    hashes = _hashes(ended)
    tables, buckets, at = np.zeros((TABLES, 2), "<u4"), [], start + int(lengths.sum())
    for number in range(TABLES):
        own = np.flatnonzero(hashes % TABLES == number)
        if own.size:
            tables[number] = at, 2 * own.size
            buckets.append(_buckets(hashes[own], offsets[own]))
            at += len(buckets[-1])
    body = [tables.tobytes(), *records, *buckets, offsets.astype("<u4").tobytes()]
    size = at + 4 * len(strings)
    head = TABLE.pack(b"CQDB", size, 0, BYTE_ORDER, len(strings), at)
    return b"".join([head, *body])


def _buckets(hashes: Words, offsets: Ints) -> bytes:
    """One open-addressed hash table, half full."""
    buckets = np.zeros((2 * len(hashes), 2), "<u4")
    for value, offset in zip(hashes.tolist(), offsets.tolist(), strict=True):
        at = (value >> 8) % len(buckets)
        while buckets[at, 1]:
            at = (at + 1) % len(buckets)
        buckets[at] = value, offset
    return buckets.tobytes()


def _hashes(strings: Sequence[bytes]) -> Words:
    """Bob Jenkins' hash "lookup3" of each string; those of one length are done at once."""
    out = np.zeros(len(strings), np.uint32)
    lengths = np.array([len(text) for text in strings], np.int64)
    for length in np.unique(lengths).tolist():
        own = np.flatnonzero(lengths == length)
        blocks = -(-length // 12)
        raw = b"".join(strings[k].ljust(12 * blocks, b"\0") for k in own.tolist())
        words = np.frombuffer(raw, "<u4").reshape(len(own), blocks, 3)
        state = np.full((3, len(own)), (0xDEADBEEF + length) & 0xFFFFFFFF, np.uint32)
        for block in range(blocks):
            state += words[:, block].T
            (_mix if block + 1 < blocks else _finish)(state)
        out[own] = state[2]
    return out


def _rotated(x: Words, by: int) -> Words:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def _mix(state: Words) -> None:
    a, b, c = state
    for by, (x, y, z) in zip(
        (4, 6, 8, 16, 19, 4), ((a, c, b), (b, a, c), (c, b, a)) * 2, strict=True
    ):
        x -= y
        x ^= _rotated(y, by)
        y += z


def _finish(state: Words) -> None:
    a, b, c = state
    steps = ((c, b, 14), (a, c, 11), (b, a, 25), (c, b, 16), (a, c, 4), (b, a, 14), (c, b, 24))
    for x, y, by in steps:
        x ^= y
        x -= _rotated(y, by)
