"""The cores that work is spread over where nothing else is said."""

from __future__ import annotations

import os
from functools import cache
from numbers import Integral
from typing import Any

from dovetail.errors import DataError

MOST_THREADS = 4096


@cache
def count_cores() -> int:
    """The cores that this process may run on, which can be fewer than the machine has.

    Looked up once: asking the system takes longer than tagging a short sentence.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_threads(threads: Any) -> None:
    """Refuse what is no number of threads."""
    if threads is None:
        return
    whole = isinstance(threads, Integral) and not isinstance(threads, bool)
    if not whole or not 1 <= threads <= MOST_THREADS:
        raise DataError(
            f"threads is {threads!r}; give a whole number from 1 to {MOST_THREADS:,}, or None"
        )
