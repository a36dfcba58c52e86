"""CRFsuite's model file, read from its bytes.

A header of twelve words; the features, each a kind, a source, a target and a weight; two string
tables (of labels and of attributes); and references, which only speed CRFsuite's own look-ups up
and are not needed here. All numbers are little-endian.
"""

from __future__ import annotations

import struct

import numpy as np

from dovetail.interop.foreign import Reader, Weights

MAGIC, KIND, VERSION = b"lCRF", b"FOMC", 100
HEADER = struct.Struct("<4sI4s9I")
CHUNK = struct.Struct("<4sII")
TABLE = struct.Struct("<4s5I")
BYTE_ORDER = 0x62445371
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
ON_LABEL, ON_MOVE = 0, 1


def is_crfsuite_model(content: bytes) -> bool:
    """Whether this begins as a model of CRFsuite does."""
    return content.startswith(MAGIC)


def read_crfsuite(content: bytes, source: str) -> Weights:
    """All weights of a CRFsuite model."""
    reader = Reader(content, source)
    magic, size, kind, version, *rest = HEADER.unpack(reader.piece(0, HEADER.size, "header"))
    if magic != MAGIC:
        reader.fail("is not a CRFsuite model")
    if kind != KIND:
        reader.fail(f"is a CRFsuite model of an unknown kind, {kind!r}; only {KIND!r} is known")
    if version != VERSION:
        reader.fail(
            f"has version {version} of CRFsuite's format, and only version {VERSION} can be read"
        )
    if size > len(content):
        reader.fail(f"is cut short: it has {len(content):,} of {size:,} bytes")
    _, n_labels, n_attributes, features_at, labels_at, attributes_at, *_ = rest
    labels = _strings(reader, labels_at, n_labels, "label")
    attributes = _strings(reader, attributes_at, n_attributes, "attribute")
    table = _features(reader, features_at)
    on_move = table["kind"] == ON_MOVE
    sources, targets = table["source"].astype(np.int64), table["target"].astype(np.int64)
    known = np.where(on_move, len(labels), len(attributes))
    if ((sources >= known) | (targets >= len(labels))).any():
        reader.fail("is damaged: it has a weight for a label or an attribute that it does not have")
    return Weights(
        [reader.text(label, "label") for label in labels],
        attributes,
        np.where(on_move, -1, sources),
        np.where(on_move, sources, -1),
        targets,
        table["weight"].astype(np.float64),
    )


def _features(reader: Reader, at: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    name, _, count = CHUNK.unpack(reader.piece(at, CHUNK.size, "features"))
    if name != b"FEAT":
        reader.fail(f"is damaged: it has a section {name!r} where its features should be")
    table = reader.numbers(at + CHUNK.size, "V20", count, "features").view(FEATURE)
    unknown = np.setdiff1d(table["kind"], (ON_LABEL, ON_MOVE))
    if unknown.size:
        reader.fail(f"has features of an unknown kind, {unknown[0]}")
    return table


def _strings(reader: Reader, at: int, count: int, what: str) -> list[bytes]:
    """Strings by number from a constant database (CQDB): the list of offsets at its end leads to
    records of a number, a size, and a string that ends with a zero byte."""
    head = reader.piece(at, TABLE.size, f"table of {what}s")
    name, _, _, byte_order, n_backward, backward = TABLE.unpack(head)
    if name != b"CQDB":
        reader.fail(f"is damaged: it has a section {name!r} where its {what}s should be")
    if byte_order != BYTE_ORDER:
        reader.fail(f"has {what}s written on a machine with another byte order")
    if count != n_backward:
        reader.fail(f"is damaged: it promises {count:,} {what}s and has {n_backward:,}")
    found: list[bytes] = []
    record, room = struct.Struct("<II"), len(reader.content)
    for offset in reader.numbers(at + backward, "<u4", count, f"{what}s").tolist():
        number, size = record.unpack(reader.piece(at + offset, record.size, what))
        raw = reader.piece(at + offset + record.size, size, what)
        room -= size  # records that overlap could fill any memory
        if number != len(found) or not raw.endswith(b"\0") or room < 0:
            reader.fail(f"is damaged: its {what} {len(found)} is not where it should be")
        found.append(raw[:-1])
        if not raw.isascii():
            reader.text(raw, what)
    return found
