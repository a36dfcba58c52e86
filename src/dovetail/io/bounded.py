"""Reading what may be endless: gzip that grows without bounds, and lines without an end."""

from __future__ import annotations

import gzip
import io
from typing import Any, BinaryIO

from dovetail.errors import DataError
from dovetail.limits import limits

AT_ONCE = 1 << 16
FREE = 100_000_000  # bytes that a gzip file may come to, however small it is


class _Reader(io.RawIOBase):
    """Bytes of another file, looked at as they pass."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def _read(self, size: int) -> bytes:
        raise NotImplementedError


class Expanding(_Reader):
    """What a gzip file holds, while it keeps to the limit of expansion."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self._path = file, path
        self._plain = gzip.GzipFile(fileobj=file)
        self._size = 0

    def _read(self, size: int) -> bytes:
        found = self._plain.read1(size)
        self._size += len(found)
        if self._size > FREE and self._size > limits.expansion * self._file.tell():
            raise DataError(
                f"{self._path} grows to more than {limits.expansion} times its size when it is "
                f"decompressed; {limits.hint('expansion')}"
            )
        return found

    def close(self) -> None:
        self._plain.close()
        super().close()


class Lines(_Reader):
    """Bytes of a file whose lines keep to the limit of their length."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self._path = file, path
        self._line = 1
        self._length = 0
        self._read_some = getattr(file, "read1", file.read)

    def _read(self, size: int) -> bytes:
        found: bytes = self._read_some(size)
        ends = found.count(b"\n")
        self._line += ends
        self._length = len(found) - found.rfind(b"\n") - 1 if ends else self._length + len(found)
        if self._length > limits.line_bytes:
            raise DataError(
                f"{self._path}:{self._line} has more than {limits.line_bytes:,} bytes in one line; "
                f"{limits.hint('line_bytes')}"
            )
        return found
