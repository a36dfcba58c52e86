"""Ctrl-C ends an experiment at once.

A training ends with the best model so far where it is interrupted, and what follows would go on
with that. Here nothing follows: what is not finished is no result.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


class ExperimentInterrupted(BaseException):
    """Ctrl-C, as no training takes it for its own."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C raises `ExperimentInterrupted` in here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> NoReturn:  # noqa: ARG001
        raise ExperimentInterrupted

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
