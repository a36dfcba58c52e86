"""A server of our own for the service: its socket, its signals, its log."""

from __future__ import annotations

import errno
import gc
import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

import uvicorn
from starlette.applications import Starlette

from dovetail.errors import DataError
from dovetail.serve.limits import Limits
from dovetail.serve.protocol import JoinedProtocol

BACKLOG = 2048


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; refuses an address that is taken, or is none of this machine's."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as error:
        raise DataError(f"there is no address {host}: {error.args[-1]}") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise DataError(_bind_problem(host, port, error)) from None
    return listening


def _bind_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is taken: give another with --port, or 0 for any that is free"
        )
    if error.errno == errno.EACCES:
        return f"port {port} needs privileges: give one of 1024 or above with --port"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def run(
    app: Starlette,
    listening: socket.socket,
    limits: Limits,
    *,
    started: Callable[[], None],
    leaving: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that are being answered then are answered.

    ``leaving`` is called at the signal, to end answers that would never end. Ends by SystemExit,
    with 0.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)  # raised again by the server when all is answered
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("dovetail: %(message)s"))
    for name in ("dovetail.serve", "uvicorn.error"):
        logging.getLogger(name).addHandler(handler)
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        lifespan="on",
        http=JoinedProtocol,
        proxy_headers=False,
        server_header=False,
        ws="none",
        limit_concurrency=limits.queue + 1000,
        timeout_graceful_shutdown=max(1, round(limits.seconds)),
    )
    server = _Server(config, started, leaving)
    server.run(sockets=[listening])
    raise SystemExit(0 if server.started else 1)


def _leave(*_: Any) -> NoReturn:
    raise SystemExit(0)


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, started: Callable[[], None], leaving: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._tell, self._leave = started, leaving

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._leave()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            gc.collect()
            gc.freeze()  # what is there now stays: it need not be looked at again and again
            self._tell()
