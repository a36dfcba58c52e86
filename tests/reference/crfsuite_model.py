"""Weights out of CRFsuite's own model file, to the last bit; its dump has only six decimals."""

from __future__ import annotations

import struct
from pathlib import Path

from reference.objective import Name


def read_weights(path: Path) -> dict[Name, float]:
    """Every weight of a model by name."""
    data = path.read_bytes()
    magic, _, kind, *numbers = struct.unpack_from("<4sI4sIIIIIIIII", data)
    assert (magic, kind) == (b"lCRF", b"FOMC")
    features_at, labels_at, attributes_at = numbers[4:7]
    labels, attributes = _strings(data, labels_at), _strings(data, attributes_at)
    chunk, _, count = struct.unpack_from("<4sII", data, features_at)
    assert chunk == b"FEAT"
    out = {}
    for k in range(count):
        kind, source, target, weight = struct.unpack_from("<IIId", data, features_at + 12 + 20 * k)
        feature, previous = (None, labels[source]) if kind else (attributes[source], None)
        out[Name(feature, previous, labels[target])] = weight
    return out


def _strings(data: bytes, at: int) -> list[str]:
    """Strings by number from a constant database (CQDB)."""
    magic, _, _, _, count, backward = struct.unpack_from("<4sIIIII", data, at)
    assert magic == b"CQDB"
    out = []
    for offset in struct.unpack_from(f"<{count}I", data, at + backward):
        _, size = struct.unpack_from("<II", data, at + offset)
        out.append(data[at + offset + 8 : at + offset + 8 + size - 1].decode())
    return out
