"""Temporary files beside those that they become, and what is left of them by killed processes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

ABANDONED = re.compile(r"\..+\.[0-9a-f]{12}\.part", re.DOTALL)
LONGEST = 200  # bytes of a name that are part of the temporary one


@contextmanager
def temporary_beside(target: Path, mode: int) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file in the same folder, which is removed in the end if it is still there.

    It is locked while it is written: what nobody has locked, nobody will finish.
    """
    _clean_once(os.getpid(), target.parent)
    file, temporary = _open_locked(target, mode)
    try:
        with file:
            yield file, temporary
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _prefix(target: Path) -> str:
    name = target.name.encode("utf-8", "surrogateescape")[:LONGEST].decode("utf-8", "ignore")
    return f".{name}."


def _open_locked(target: Path, mode: int) -> tuple[BinaryIO, Path]:
    while True:
        temporary = target.with_name(f"{_prefix(target)}{os.urandom(6).hex()}.part")
        with suppress(FileExistsError):
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            file = os.fdopen(handle, "wb")
            lock(file)
            if temporary.exists():  # else another process took it for abandoned before
                return file, temporary
            file.close()


@lru_cache(256)
def _clean_once(_process: int, folder: Path) -> None:
    """Once a process, since a folder may have many files."""
    remove_abandoned(folder)


def remove_abandoned(folder: Path) -> None:
    """Remove what processes have left in a folder when they were killed."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if ABANDONED.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    with suppress(OSError), open(path, "rb") as file:
        if lock(file):
            os.unlink(path)


def lock(file: Any) -> bool:
    """Lock an open file for this process until it is closed; False where another has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return False  # a file system without locks: nothing can be known
    return True


@contextmanager
def locked(file: Any) -> Iterator[None]:
    """Wait for an open file to be free, and keep it for this process."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)


def sync_folder(folder: Path) -> None:
    """Have a rename reach the disk, where folders can be synchronized."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
