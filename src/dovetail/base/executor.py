"""Where the parts of a corpus are worked on: here, one after another, or by the workers of a
cluster.

A task gets the number of a part and what all parts are given. Results come in the order of the
parts, whoever found them, so that their sums have the same bits everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shared(Generic[T]):
    """Something large that tasks are given: it is sent to each worker once."""

    value: T


class Executor(Protocol):
    """What runs tasks on parts."""

    threads: int  # that each task may use

    def each(
        self,
        step: str,
        task: Callable[..., T],
        parts: Iterable[int],
        *given: Any,
        together: bool = True,
    ) -> Iterator[T]:
        """``task(part, *given)`` for each part, in their order; ``step`` is its name for people.

        Parts that take long, or unequally long, are better not sent to a worker ``together``.
        """
        ...

    def check_memory(self, size: int, what: str) -> None:
        """Refuse workers that are known to have less memory than a part needs."""
        ...


class Here:
    """This process; a task may use all threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def each(
        self,
        step: str,
        task: Callable[..., T],
        parts: Iterable[int],
        *given: Any,
        together: bool = True,
    ) -> Iterator[T]:
        logger.debug("%s, %s", step, "together" if together else "one by one")
        return (task(part, *given) for part in parts)

    def check_memory(self, size: int, what: str) -> None:
        """How much memory there is here, the user knows."""
