"""A hash of all that a result depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from dovetail.io.files import open_bytes


def fingerprint(*parts: str | bytes | Path) -> str:
    """A hash of everything that results depend on: settings, data, version; a Path is its
    content, of a folder that of its files.

    >>> fingerprint("c2 = 1", b"data") == fingerprint("c2 = 1", b"data") != fingerprint("c2 = 2")
    True
    """
    whole = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            for path in sorted(part.iterdir()) if part.is_dir() else [part]:
                whole.update(path.name.encode() if part.is_dir() else b"")
                with open_bytes(path) as file:
                    whole.update(_digest(iter(lambda: file.read(1 << 20), b"")))
        else:
            content = part.encode() if isinstance(part, str) else part
            whole.update(_digest([content]))
    return whole.hexdigest()


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
