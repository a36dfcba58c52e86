"""``dovetail serve`` itself: a real process, real sockets."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from pathlib import Path

from serve.process import COMMAND, Running, receive, serving

BODY = b'{"text": "Dr. Ada Lopez"}'


def is_open(running: Running) -> bool:
    """Whether someone new is let in."""
    try:
        running.connect().close()
    except OSError:
        return False
    return True


def test_answers_what_it_has_begun_before_it_stops(folder: Path) -> None:
    with serving(folder / "talks.dovetail") as running:
        begun = running.connect()
        begun.sendall(running.head(len(BODY)) + BODY[:5])
        with running.connect() as other:
            other.sendall(running.head(len(BODY)) + BODY)
            assert '"label":"SPEAKER"' in receive(other)
        running.process.send_signal(signal.SIGTERM)
        while is_open(running):
            time.sleep(0.01)
        begun.sendall(BODY[5:])
        with begun:
            assert '"label":"SPEAKER"' in receive(begun)
        assert running.process.wait(timeout=30) == 0
        assert running.process.communicate()[1] == ""


def test_slow_and_large_bodies(folder: Path) -> None:
    with serving(folder / "pos.dovetail", "--timeout", "0.3", "--max-body", "100") as running:
        with running.connect() as slow:
            slow.sendall(running.head(len(BODY)) + BODY[:5])
            answer = receive(slow)
        assert answer.startswith("HTTP/1.1 408 ")
        assert "the body did not arrive within 0.3 seconds" in answer
        with running.connect() as large:
            large.sendall(running.head(101))
            assert large.recv(65536).startswith(b"HTTP/1.1 413 ")
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(timeout=30) == 0


def refused(*arguments: object) -> str:
    done = subprocess.run(
        [*COMMAND, "serve", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_port_that_is_taken(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert refused(folder / "pos.dovetail", "--port", port) == (
            f"dovetail: port {port} of 127.0.0.1 is taken: give another with --port, or 0 for any "
            "that is free\n"
        )
