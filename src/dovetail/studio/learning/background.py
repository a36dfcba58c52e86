"""Work beside the requests: one thread, the most urgent first, the newest of its kind alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Condition, Thread
from typing import NamedTuple

logger = logging.getLogger(__name__)


class _Task(NamedTuple):
    urgency: int
    number: int
    run: Callable[[], None]


class Worker:
    """A thread that does tasks one after another.

    A task has a key; one that is given while another of its key waits takes its place. Of those
    that wait the one with the lowest urgency number begins first, then the oldest. What fails is
    logged and told to ``failed``, and the next task begins.
    """

    def __init__(self, name: str, failed: Callable[[Exception], None] | None = None) -> None:
        self._waiting: dict[str, _Task] = {}
        self._changed = Condition()
        self._given = 0
        self._busy = False
        self._stopped = False
        self._failed = failed
        self._thread = Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, key: str, urgency: int, run: Callable[[], None]) -> None:
        """Give a task; never waits."""
        with self._changed:
            if not self._stopped:
                self._given += 1
                self._waiting[key] = _Task(urgency, self._given, run)
                self._changed.notify_all()

    def stop(self, timeout: float | None = None) -> bool:
        """Begin no other task, and wait for the one at work; whether it ended in time."""
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do; whether that came within ``timeout`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout)

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                task.run()
            except Exception as error:  # whatever it is, suggestions go on
                logger.exception("a task of %s failed", self._thread.name)
                if self._failed is not None:
                    self._failed(error)

    def _next(self) -> _Task | None:
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._stopped)
            if self._stopped:
                return None
            key = min(self._waiting, key=lambda k: self._waiting[k][:2])
            self._busy = True
            return self._waiting.pop(key)
