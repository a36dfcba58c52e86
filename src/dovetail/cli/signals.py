"""Signals that ask a command to end: what it has is kept, as with Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dovetail.interruption import Interruptions

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
ENDING = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
_handler = Interruptions()


def handle_signals() -> None:
    """From now on they raise KeyboardInterrupt; those that are ignored, as under nohup, stay so."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handler)


def exit_code() -> int:
    """Of a command that was interrupted, as a shell expects it."""
    return 128 + (_handler.number or signal.SIGINT)


@contextmanager
def noticing_signals() -> Iterator[threading.Event]:
    """An event that is set when one has come, beside what is done about it elsewhere."""
    seen = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return
    before: dict[int, Callable[..., Any]] = {
        number: handler for number in ENDING if callable(handler := signal.getsignal(number))
    }

    def noticed(number: int, frame: Any) -> None:
        seen.set()
        before[number](number, frame)

    for number in before:
        signal.signal(number, noticed)
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
