"""Opening and writing files: gzip by suffix, ``-`` for standard streams, nothing half-written."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from dovetail.errors import DataError
from dovetail.io.bounded import AT_ONCE, Expanding, Lines
from dovetail.io.temporary import sync_folder, temporary_beside

PathLike = str | os.PathLike[str]


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; ``.gz`` is decompressed, ``-`` is standard input."""
    if os.fspath(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise DataError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from None
    except ValueError as error:  # a name with a zero byte
        raise DataError(f"cannot read {os.fspath(path)!r}: {error}") from None
    with file:
        if os.fspath(path).endswith(".gz"):
            with io.BufferedReader(Expanding(file, os.fspath(path)), AT_ONCE) as plain:
                try:
                    yield cast(BinaryIO, plain)
                except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                    raise DataError(
                        f"{os.fspath(path)} is not a whole gzip file: {error}"
                    ) from None
        else:
            yield file


@contextmanager
def open_text(path: PathLike, *, newline: str | None = None) -> Iterator[TextIO]:
    """Open a file for reading UTF-8 text, with or without a byte order mark, any line ends.

    ``newline`` is that of `open`. Malformed bytes are reported with their line, except in standard
    input and pipes, which can be read only once.
    """
    with open_bytes(path) as raw:
        lines = io.BufferedReader(Lines(raw, os.fspath(path)), AT_ONCE)
        text = io.TextIOWrapper(lines, encoding="utf-8-sig", newline=newline)
        try:
            yield text
        except UnicodeDecodeError as error:
            line = f":{_first_malformed_line(path)}" if os.path.isfile(path) else ""
            raise DataError(
                f"{os.fspath(path)}{line} is not UTF-8 (byte 0x{error.object[error.start]:02x}: "
                f"{error.reason}); convert the file first, for instance with iconv"
            ) from None
        finally:
            with suppress(ValueError):
                text.detach()


def _first_malformed_line(path: PathLike) -> int:
    with open_bytes(path) as raw:
        return next((n for n, line in enumerate(raw, 1) if not _is_utf8(line)), 1)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def write_text(target: PathLike | TextIO) -> Iterator[TextIO]:
    """Write UTF-8 text: to an open text file, to ``-`` (standard output), or atomically to a path.

    A path that ends in ``.gz`` is compressed, with the same bytes for the same text every time.
    """
    if not isinstance(target, str | os.PathLike):
        yield target
        return
    if os.fspath(target) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    with atomic_write(target) as raw:
        binary = raw
        if os.fspath(target).endswith(".gz"):
            binary = cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
        text = io.TextIOWrapper(binary, encoding="utf-8", newline="\n", write_through=False)
        try:
            yield text
        finally:
            text.detach()
            if binary is not raw:
                binary.close()


@contextmanager
def atomic_write(path: PathLike) -> Iterator[BinaryIO]:
    """Write a file whole or not at all: temporary file beside it, fsync, rename.

    Symbolic links are followed; a device or a pipe is written to directly, never replaced.
    Temporary files that a killed process has left are removed.
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with target.open("wb") as device:
                yield device
            return
        kept = target.stat().st_mode & 0o777 if target.exists() else None
        with temporary_beside(target, 0o666 if kept is None else kept) as (file, temporary):
            if kept is not None:
                os.chmod(temporary, kept)  # the umask is for new files only
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)
        sync_folder(target.parent)
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}") from None


def check_writable(path: PathLike) -> None:
    """Better refused now than after an hour of training."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise DataError(f"cannot write {path}: it is a directory")
    folder = target.parent
    if not folder.is_dir():
        raise DataError(f"cannot write {path}: there is no directory {folder}")
    if target.exists() and not os.access(target, os.W_OK):
        raise DataError(f"cannot write {path}: permission denied")
    is_replaced = target.is_file() or not target.exists()
    if is_replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise DataError(f"cannot write {path}: no file can be made in {folder}, permission denied")
