"""Reading text that may be compressed, and writing JSON whole or not at all."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any, TextIO, cast

from dovetail import DataError


def open_text(path: Path, *, newline: str | None = None) -> TextIO:
    """A UTF-8 file, opened for reading; ``.gz`` is decompressed."""
    try:
        if path.suffix == ".gz":
            return cast(TextIO, gzip.open(path, "rt", encoding="utf-8", newline=newline))
        return path.open(encoding="utf-8", newline=newline)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None


def write_json(path: Path, data: Any) -> None:
    """Write plain data."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(data, indent=1), encoding="utf-8")
    os.replace(part, path)
