"""Ctrl-C that counts once: what follows within a second is the same wish, and would only lose what
the first has had kept."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

WINDOW = 1.0  # seconds in which further signals are taken for the first


class Interruptions:
    """A handler of signals: the first of each second raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.number: int | None = None
        """The signal that came last."""
        self._last = -inf

    def __call__(self, number: int, _: Any) -> None:
        now = time.monotonic()
        if now - self._last < WINDOW:
            return
        self._last, self.number = now, number
        raise KeyboardInterrupt


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Have Ctrl-C count once in here, and, where there was one, afterwards: the result is on its
    way to whoever wants to keep it.

    Programs that handle SIGINT in a way of their own go on doing so.
    """
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    handler = Interruptions()
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        if handler.number is None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
