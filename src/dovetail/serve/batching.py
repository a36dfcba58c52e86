"""Requests that come at the same time are answered together, in a thread beside the event loop.

The thread takes all that wait when it becomes free. So nothing waits for company: one request is
answered at once, and the more there are, the larger the batches. Where all that has arrived takes
no longer than to wake the thread and wait for the interpreter's lock, as some sentences do, the
event loop answers it itself; and where requests have come one by one of late, it does so at once,
without a look at what else may have arrived.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from dovetail.serve.errors import ServiceError, failure
from dovetail.serve.limits import Limits

Item = TypeVar("Item")
Answer = bytes | ServiceError
SHORT = 0.002  # seconds for which the event loop may be held up
REQUEST = 100  # bytes that take as long as what is done once for a request
FORGET = 0.9  # what is left of the slowest pace after each answer
LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class Job(Generic[Item]):
    """An item, its size, and the future that gets its answer."""

    item: Item
    size: int
    future: asyncio.Future[Answer]


class Pace:
    """How long answers will take, from what they took: the slowest counts until it is long past."""

    def __init__(self) -> None:
        self._seconds = SHORT  # a byte; nothing is known yet

    def foresee(self, requests: int, size: int) -> float:
        """Seconds that the answers to so many requests of this size in all will hardly exceed."""
        return self._seconds * (REQUEST * requests + size)

    def learn(self, requests: int, size: int, seconds: float) -> None:
        """The answers took so long."""
        self._seconds = max(seconds / (REQUEST * requests + size), FORGET * self._seconds)


class Batcher(Generic[Item]):
    """Answers items in batches of at most so many, and of at most this size in all."""

    def __init__(
        self,
        answer: Callable[[Sequence[Item]], Sequence[Answer]],
        limits: Limits,
        *,
        most: int = 64,
        size: int = 200_000,
    ) -> None:
        self._answer, self._limits, self._most, self._size = answer, limits, most, size
        self._queue: SimpleQueue[Job[Item] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._pace = Pace()
        self._arrived: list[Job[Item]] = []
        self._in_turn = 0  # requests in this turn of the event loop
        self._are_many = False  # whether there were several in the last turn that had any
        self.waiting = 0

    def start(self) -> None:
        """Begin to answer; for the running event loop."""
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, args=(loop,), daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Answer what waits, and end; nobody waits for longer than an answer may take."""
        self._queue.put(None)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, self._limits.seconds)

    async def submit(self, item: Item, size: int, *, admitted: bool = False) -> bytes:
        """The answer to an item; refused where too many wait, unless it was admitted before."""
        limits = self._limits
        if self.waiting >= limits.queue and not admitted:
            raise ServiceError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"{self.waiting} requests are waiting already: try again a little later",
            )
        loop = asyncio.get_running_loop()
        if not self._in_turn:
            loop.call_soon(self._end_turn)  # after all that has arrived by now
        self._in_turn += 1
        at_once = self._in_turn == 1 and not (self._are_many or self.waiting)
        if at_once and self._pace.foresee(1, size) < SHORT:
            [answer] = self._answer_all([item], size)
        else:
            answer = await self._wait_for(item, size, loop)
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    async def _wait_for(self, item: Item, size: int, loop: asyncio.AbstractEventLoop) -> Answer:
        future: asyncio.Future[Answer] = loop.create_future()
        seconds = self._limits.seconds
        timer = loop.call_later(seconds, _expire, future, seconds)
        self._arrived.append(Job(item, size, future))
        self.waiting += 1
        try:
            return await future
        finally:
            timer.cancel()

    def _end_turn(self) -> None:
        """In the event loop: answer what has arrived, or give it to the thread."""
        self._are_many, self._in_turn = self._in_turn > 1, 0
        jobs, self._arrived = self._arrived, []
        if not jobs:
            return
        alone = self.waiting == len(jobs) <= self._most
        size = sum(job.size for job in jobs)
        if alone and self._pace.foresee(len(jobs), size) < SHORT:
            answers = self._answer_all([job.item for job in jobs], size)
            self._deliver(len(jobs), jobs, answers)
            return
        for job in jobs:
            self._queue.put(job)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        last: Job[Item] | None = None
        while True:
            jobs = [self._queue.get() if last is None else last]
            last = None
            size = 0 if jobs[0] is None else jobs[0].size
            while jobs[-1] is not None and len(jobs) < self._most:
                try:
                    job = self._queue.get_nowait()
                except Empty:
                    break
                size += 0 if job is None else job.size
                if job is not None and size > self._size:
                    last = job
                    break
                jobs.append(job)
            taken = [job for job in jobs if job is not None]
            wanted = [job for job in taken if not job.future.done()]
            size = sum(job.size for job in wanted)
            answers = self._answer_all([job.item for job in wanted], size) if wanted else []
            try:
                loop.call_soon_threadsafe(self._deliver, len(taken), wanted, answers)
            except RuntimeError:  # the loop has ended, and with it everyone who waited
                return
            if jobs[-1] is None:
                return

    def _deliver(self, n_taken: int, jobs: Sequence[Job[Item]], answers: Sequence[Answer]) -> None:
        """In the event loop: what has been taken from the queue waits no longer."""
        self.waiting -= n_taken
        for job, answer in zip(jobs, answers, strict=True):
            if not job.future.done():
                job.future.set_result(answer)

    def _answer_all(self, items: Sequence[Item], size: int) -> Sequence[Answer]:
        """Whatever goes wrong, there is an answer."""
        start = time.thread_time()
        try:
            return self._answer(items)
        except Exception:
            LOG.exception("a batch of %d requests failed", len(items))
            return [failure()] * len(items)
        finally:
            self._pace.learn(len(items), size, time.thread_time() - start)


def _expire(future: asyncio.Future[Answer], seconds: float) -> None:
    if not future.done():
        sentence = f"there was no answer within {seconds:g} seconds: send less at a time"
        future.set_result(ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, sentence))
