"""How answers are sent."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("httptools")


class Recorder:
    """A transport that keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def test_what_is_written_in_one_turn_is_sent_together() -> None:
    from dovetail.serve.protocol import JoiningTransport

    async def run() -> None:
        recorder = Recorder()
        transport = JoiningTransport(recorder, asyncio.get_running_loop())  # type: ignore[arg-type]
        transport.write(b"head ")
        transport.write(b"body")
        assert recorder.sent == []
        await asyncio.sleep(0)
        assert recorder.sent == [b"head body"]
        transport.write(b"last")
        transport.close()
        assert recorder.sent == [b"head body", b"last"]
        assert transport.is_closing()
        await asyncio.sleep(0)
        assert len(recorder.sent) == 2

    asyncio.run(run())
