"""Parts of a corpus that one process keeps open from one pass over them to the next."""

from __future__ import annotations

import os
from collections import OrderedDict
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
    """The parts that this process used last; each is checked when it is first opened."""

    def __init__(self, path: Callable[[str, int], Path], open_part: Callable[..., P]) -> None:
        self._path = path
        self._open_part = open_part
        self._open: OrderedDict[str, P] = OrderedDict()
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
            part = self._open.pop(name, None) if known else None
        if part is None:
            part = self._open_part(folder, number, check=not known)
        with self._lock:
            self._checked[name] = state
            self._open[name] = part
            while len(self._open) > 1 and sum(p.size for p in self._open.values()) > STAY_OPEN:
                self._open.popitem(last=False)
        return part

    def close(self, folder: str) -> None:
        """Forget the parts of a folder."""
        with self._lock:
            for name in [name for name in self._open if Path(name).parent == Path(folder)]:
                del self._open[name]
