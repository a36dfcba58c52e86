"""A service in a process of its own, as users start it."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

COMMAND = [sys.executable, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


class Running(NamedTuple):
    """The process, and the port that it listens on."""

    process: subprocess.Popen[str]
    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def head(self, size: int) -> bytes:
        """The head of a request to tag."""
        return (
            f"POST /v1/tag HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Content-Length: {size}\r\nConnection: close\r\n\r\n"
        ).encode()


def receive(connection: socket.socket) -> str:
    """All that comes until the other side closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts).decode()


@contextmanager
def serving(*arguments: object) -> Iterator[Running]:
    """``dovetail serve`` with these arguments, on any free port."""
    command = [*COMMAND, "serve", *map(str, arguments), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving "), process.communicate()[1]
        yield Running(process, int(line.rpartition(":")[2].partition("/")[0]))
    finally:
        process.kill()
        process.communicate()
