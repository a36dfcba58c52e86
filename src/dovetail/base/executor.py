"""Where the parts of a corpus are worked on: here, one after another, or by the workers of a
cluster.

A task gets the number of a part and what all parts are given. Results come in the order of the
parts, whoever found them. What tasks add up are whole numbers, multiples of a power of two: such
sums are exact, so they have the same bits whoever added up what, and in whatever order. Each worker
adds up its own parts, and sends one sum.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
WholeNumbers = npt.NDArray[np.signedinteger[Any]]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shared(Generic[T]):
    """Something large that tasks are given: it is sent to each worker once."""

    value: T


class Multiples:
    """The multiples of a power of two that stand for real numbers in sums of 64 bits whose absolute
    values stay below ``bound``."""

    def __init__(self, bound: float) -> None:
        self.exponent = 62 - math.frexp(max(bound, 1.0))[1]

    def to_real(self, sums: WholeNumbers) -> npt.NDArray[np.float64]:
        """The real numbers that whole ones stand for."""
        found: npt.NDArray[np.float64] = np.multiply(sums, 2.0**-self.exponent)
        return found


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

    def add_up(
        self,
        step: str,
        task: Callable[..., T],
        parts: Sequence[int],
        sums: Sequence[WholeNumbers],
        *given: Any,
    ) -> list[T]:
        """``task(part, sums, *given)`` for each part, which adds to the sums; what tasks return, in
        the order of the parts."""
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

    def add_up(
        self,
        step: str,
        task: Callable[..., T],
        parts: Sequence[int],
        sums: Sequence[WholeNumbers],
        *given: Any,
    ) -> list[T]:
        logger.debug("%s", step)
        return [task(part, sums, *given) for part in parts]

    def check_memory(self, size: int, what: str) -> None:
        """How much memory there is here, the user knows."""
