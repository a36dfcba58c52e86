"""Independent tasks at the same time: what is trained natively leaves Python's lock to others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_own = threading.local()


def run_at_once(
    tasks: Sequence[Callable[[], T]],
    threads: int,
    each: Callable[[int, T], None] | None = None,
) -> list[T]:
    """The results of tasks, as many of them at a time as there are threads.

    ``each`` is called with the number of a task and its result, in order, where `run_at_once` was
    called. Ctrl-C, or an error, ends the others too: trainings after their round.
    """
    results: list[T] = []

    def take(result: T) -> None:
        results.append(result)
        if each is not None:
            each(len(results) - 1, result)

    if threads < 2 or len(tasks) < 2:
        for task in tasks:
            take(task())
        return results
    stop = threading.Event()
    with ThreadPoolExecutor(min(threads, len(tasks))) as pool:
        waiting = [pool.submit(_run, task, stop) for task in tasks]
        try:
            for one in waiting:
                take(one.result())
        except BaseException:
            stop.set()
            for one in waiting:
                one.cancel()
            raise
    return results


def _run(task: Callable[[], T], stop: threading.Event) -> T:
    _own.stop = stop
    return task()


def should_end() -> bool:
    """Whether a task that runs beside others should end, since one of these, or the user, has ended
    them all."""
    stop: threading.Event | None = getattr(_own, "stop", None)
    return stop is not None and stop.is_set()
