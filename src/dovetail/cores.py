"""The cores that work is spread over where nothing else is said."""

from __future__ import annotations

import os
from functools import cache


@cache
def count_cores() -> int:
    """The cores that this process may run on, which can be fewer than the machine has.

    Looked up once: asking the system takes longer than tagging a short sentence.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
