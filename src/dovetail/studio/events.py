"""What is new, told to all open pages as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

ALIVE = 15.0  # seconds after which a line is sent though nothing is new, so that proxies stay


class Events:
    """Takes what is new from any thread, and gives it to each page that listens."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[str | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Belong to the event loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """Let all pages go; from any thread, or a signal."""
        loop, self._loop = self._loop, None
        if loop is not None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._put, None)

    def tell(self, news: Mapping[str, Any], kind: str = "model") -> None:
        """Tell all pages; from any thread."""
        loop = self._loop
        if loop is not None:
            line = f"event: {kind}\ndata: {json.dumps(news, ensure_ascii=False)}\n\n"
            with suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(self._put, line)

    async def lines(self) -> AsyncIterator[str]:
        """What is told from now on, until there is no more."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield ": welcome\n\n"
            while True:
                try:
                    line = await asyncio.wait_for(queue.get(), ALIVE)
                except TimeoutError:
                    line = ": still here\n\n"
                if line is None:
                    return
                yield line
        finally:
            self._queues.discard(queue)

    def _put(self, line: str | None) -> None:
        for queue in self._queues:
            queue.put_nowait(line)
