"""No client can have more than its share."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from dovetail.serve.limits import Limits


def test_body(make_client: Any) -> None:
    client = make_client(limits=Limits(body=1000))
    fits = b'{"text": "' + b"a" * 988 + b'"}'
    assert client.post("/v1/tag", content=fits).status_code == 200
    answer = client.post("/v1/tag", content=fits + b" ")
    assert answer.status_code == 413
    assert answer.json()["error"] == "the body is larger than 1000 bytes: send less at a time"
    unannounced = client.post("/v1/tag", content=iter([fits, b" " * 500]))
    assert unannounced.status_code == 413


def test_tokens(make_client: Any) -> None:
    client = make_client(limits=Limits(tokens=10))
    for fits in ({"tokens": ["a"] * 9}, {"text": "aaaaaaaa " * 9}, {"sequences": [["a"] * 4] * 2}):
        assert client.post("/v1/tag", json=fits).status_code == 200
    for large in ({"tokens": ["a"] * 11}, {"text": "a " * 11}, {"sequences": [[]] * 11}):
        answer = client.post("/v1/tag", json=large)
        assert answer.status_code == 413
        assert "more than 10 tokens" in answer.json()["error"]
    assert client.post("/v1/explain", json={"tokens": ["a"] * 11}).status_code == 413


class Gate:
    """Answers what it is given when it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.begun = threading.Event()
        self.batches: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> list[bytes]:
        self.batches.append(list(items))
        self.begun.set()
        assert self.opened.wait(30)
        return [str(item).encode() for item in items]


def test_queue_and_batches() -> None:
    from dovetail.serve.batching import Batcher
    from dovetail.serve.errors import ServiceError

    async def run() -> None:
        gate = Gate()
        batcher = Batcher(gate, Limits(queue=6), size=10)
        batcher.start()
        first = asyncio.create_task(batcher.submit(0, 1))
        await asyncio.to_thread(gate.begun.wait, 30)
        sizes = [1, 1, 9, 9, 1]
        rest = [asyncio.create_task(batcher.submit(k, n)) for k, n in enumerate(sizes, start=1)]
        await asyncio.sleep(0)
        with pytest.raises(ServiceError, match="6 requests are waiting already") as caught:
            await batcher.submit(6, 1)
        assert caught.value.status == 429
        gate.opened.set()
        assert await asyncio.gather(first, *rest) == [b"0", b"1", b"2", b"3", b"4", b"5"]
        assert gate.batches == [[0], [1, 2], [3], [4, 5]]
        assert batcher.waiting == 0
        await batcher.stop()

    asyncio.run(run())


def test_what_is_short_is_answered_in_the_event_loop() -> None:
    from dovetail.serve.batching import Batcher

    work: dict[str, Any] = {"seconds": 0.0, "batches": []}

    def answer(items: Sequence[int]) -> list[bytes]:
        work["batches"].append((threading.current_thread() is threading.main_thread(), len(items)))
        end = time.thread_time() + work["seconds"]
        while time.thread_time() < end:
            pass
        return [b""] * len(items)

    async def run() -> None:
        batcher = Batcher(answer, Limits())
        batcher.start()
        for _ in range(200):  # until it is known that answers are quick
            await batcher.submit(1, 1)
        for _ in range(2):  # what comes when nothing else does is answered at once
            await asyncio.gather(*(batcher.submit(k, 1) for k in range(5)))
        assert work["batches"][-3:] == [(True, 1), (True, 4), (True, 5)]
        await batcher.submit(1, 10_000_000)  # too much for it
        assert work["batches"][-1] == (False, 1)
        work["seconds"] = 0.05
        await batcher.submit(1, 1)
        await batcher.submit(1, 1)  # has been seen to be slow
        assert work["batches"][-1] == (False, 1)
        await batcher.stop()

    asyncio.run(run())


def test_time() -> None:
    from dovetail.serve.batching import Batcher
    from dovetail.serve.errors import ServiceError

    async def run() -> None:
        gate = Gate()
        batcher = Batcher(gate, Limits(seconds=0.05))
        batcher.start()
        first = asyncio.create_task(batcher.submit(1, 1))
        await asyncio.to_thread(gate.begun.wait, 30)
        second = asyncio.create_task(batcher.submit(2, 1))
        for task in (first, second):
            with pytest.raises(ServiceError, match=r"no answer within 0\.05 seconds") as caught:
                await task
            assert caught.value.status == 503
        assert batcher.waiting == 2  # both are still held
        gate.opened.set()
        await batcher.stop()
        assert gate.batches == [[1]]  # nobody waits for the second any more
        assert batcher.waiting == 0

    asyncio.run(run())


def test_what_fails_is_answered() -> None:
    from dovetail.serve.batching import Batcher
    from dovetail.serve.errors import ServiceError

    def fail(items: Sequence[int]) -> list[bytes]:
        raise RuntimeError(f"{len(items)} secrets")

    async def run() -> None:
        batcher = Batcher(fail, Limits())
        batcher.start()
        for _ in range(2):  # the thread lives on
            with pytest.raises(ServiceError, match="went wrong") as caught:
                await batcher.submit(1, 1)
            assert caught.value.status == 500
            assert "secret" not in caught.value.sentence
        await batcher.stop()

    asyncio.run(run())
