"""Results that survive an interruption: a file of JSON lines, one for each finished cell."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from dovetail.compare.plan import Cell, Result
from dovetail.errors import DataError
from dovetail.io.files import PathLike
from dovetail.io.origin import RESULTS
from dovetail.io.temporary import locked


class Store:
    """The finished cells in a file, of those with the given fingerprint.

    Lines with another fingerprint stay in the file and are not looked at. A line that was cut short
    is left out; ``notes`` says so in words. The file is made when the first result is added.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "results.jsonl")
    >>> Store(path, "v1").add(Cell("none", 0, 10), {"overall": {"f1": 0.8}})
    >>> Store(path, "v1").get(Cell("none", 0, 10))
    {'overall': {'f1': 0.8}}
    >>> Store(path, "v2").get(Cell("none", 0, 10))
    """

    def __init__(self, path: PathLike, fingerprint: str) -> None:
        self.path = Path(path)
        self.fingerprint = fingerprint
        self.notes: list[str] = []
        self._results: dict[str, Result] = {}
        self._cut = False  # whether the last line is not whole
        if not self.path.parent.is_dir():
            raise DataError(f"cannot write {self.path}: there is no such folder")
        if self.path.exists():
            if not self.path.is_file():
                raise DataError(f"cannot keep results in {self.path}: it is no plain file")
            self._read()

    def get(self, cell: Cell) -> Result | None:
        """What a finished cell gave, or None."""
        return self._results.get(cell.id)

    def add(self, cell: Cell, result: Mapping[str, Any]) -> None:
        """Write the result of a finished cell; when this returns it is on the disk."""
        content = {"cell": cell.id, "fingerprint": self.fingerprint, **result}
        line = json.dumps(content, ensure_ascii=False, allow_nan=False)
        try:
            with self.path.open("ab") as file, locked(file):
                if self._cut:
                    _cut_off_last_line(self.path, file)
                    self._cut = False
                before = file.seek(0, os.SEEK_END)
                try:
                    file.write(line.encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    with suppress(OSError):
                        file.truncate(before)
                    raise
        except OSError as error:
            raise DataError(f"cannot write {self.path}: {error.strerror or error}") from None
        self._results[cell.id] = _result(json.loads(line))

    def _read(self) -> None:
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except OSError as error:
            raise DataError(f"cannot read {self.path}: {error.strerror or error}") from None
        if lines and not (lines[0].startswith(RESULTS) or RESULTS.startswith(lines[0].rstrip())):
            raise DataError(
                f"{self.path} holds something else than results of a comparison: "
                "give another file for them"
            )
        for number, line in enumerate(lines, 1):
            content = _parsed(line)
            if content is None:
                self.notes.append(
                    f"{self.path}:{number} is cut short and left out; its cell is computed again"
                )
            elif content["fingerprint"] == self.fingerprint:
                self._results[content["cell"]] = _result(content)
        self._cut = bool(lines) and not lines[-1].endswith(b"\n")


def _cut_off_last_line(path: Path, file: BinaryIO) -> None:
    """Remove what follows the last line end; another process may have done so before."""
    content = path.read_bytes()
    file.truncate(content.rfind(b"\n") + 1)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """What a line says, if it is whole: the line end counts, since it is written last."""
    if not line.endswith(b"\n"):
        return None
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or "fingerprint" not in content:
        return None
    return content if isinstance(content.get("cell"), str) else None


def _result(content: Mapping[str, Any]) -> Result:
    return {key: value for key, value in content.items() if key not in ("cell", "fingerprint")}
