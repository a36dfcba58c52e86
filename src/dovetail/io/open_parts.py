"""Parts of a corpus that one process keeps open from one pass over them to the next."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Generic, Protocol, TypeVar

from dovetail.errors import DataError

STAY_OPEN = 300_000_000  # bytes of parts


class OpenPart(Protocol):
    """What is kept open."""

    size: int


P = TypeVar("P", bound=OpenPart)


class OpenParts(Generic[P]):
    """The parts that this process has open; each is checked when it is first opened.

    Parts are gone through in rounds. Where not all of them fit, those that came first stay, and
    make room for parts of another folder only: if the latest stayed, none would be met again. One
    part stays open however large it is.
    """

    def __init__(self, path: Callable[[str, int], Path], open_part: Callable[..., P]) -> None:
        self._path = path
        self._open_part = open_part
        self._open: dict[str, P] = {}
        self._checked: dict[str, tuple[int, int]] = {}
        self._lock = Lock()

    def get(self, folder: str, number: int) -> P:
        path = self._path(folder, number)
        name = str(path)
        try:
            found = os.stat(path)
        except OSError as error:
            raise DataError(
                f"part {number} of the corpus cannot be read: {path}: "
                f"{error.strerror or error} (all workers have to see this folder)"
            ) from None
        state = (found.st_mtime_ns, found.st_size)
        with self._lock:
            known = self._checked.get(name) == state
            part = self._open.get(name) if known else None
        if part is None:
            part = self._open_part(folder, number, check=not known)
            with self._lock:
                self._checked[name] = state
                self._keep(name, part)
        return part

    def _keep(self, name: str, part: P) -> None:
        self._open[name] = part
        here = Path(name).parent
        others = [one for one in self._open if Path(one).parent != here]
        for dropped in (*others, name):
            if len(self._open) == 1 or sum(o.size for o in self._open.values()) <= STAY_OPEN:
                break
            del self._open[dropped]

    def close(self, folder: str) -> None:
        """Forget the parts of a folder."""
        with self._lock:
            for name in [name for name in self._open if Path(name).parent == Path(folder)]:
                del self._open[name]
