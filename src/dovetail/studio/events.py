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
        self._queues: dict[asyncio.Queue[str | None], str] = {}
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

    def tell_labels(self) -> None:
        """Tell all pages that the labels are others now; from any thread."""
        self._send("event: labels\ndata: {}\n\n", None)

    def tell(self, annotator: str, news: Mapping[str, Any]) -> None:
        """Tell the pages of an annotator what is new of the models; from any thread."""
        self._send(f"event: model\ndata: {json.dumps(news, ensure_ascii=False)}\n\n", annotator)

    def _send(self, line: str, annotator: str | None) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(self._put, line, annotator)

    async def lines(self, annotator: str) -> AsyncIterator[str]:
        """What an annotator is told from now on, until there is no more."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._queues[queue] = annotator
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
            del self._queues[queue]

    def _put(self, line: str | None, annotator: str | None = None) -> None:
        for queue, listener in self._queues.items():
            if annotator in (None, listener):
                queue.put_nowait(line)
