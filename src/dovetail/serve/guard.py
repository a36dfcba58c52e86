"""Who may talk to the service, and what browsers may do with its answers.

A page of another site must not reach a service on this machine: neither directly (its Origin is
not ours) nor by a name of its own that suddenly stands for this address (DNS rebinding: then the
Host is that name). An address in digits cannot be rebound; names must be known.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dovetail.errors import DataError
from dovetail.serve.errors import ServiceError
from dovetail.serve.metrics import Metrics

OPEN = frozenset(
    {"/", "/healthz", "/openapi.json"}
)  # without a token: nothing of anyone's is there
SHORTEST_TOKEN = 16
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


def check_token(token: str | None, address: str) -> None:
    """Refuse to be reached from elsewhere without a token, and tokens that can be guessed."""
    if token is None and not is_loopback(address):
        raise DataError(
            f"{address} can be reached from other machines: say who may use the service with "
            "--token, a secret that clients send, or serve on 127.0.0.1"
        )
    if token is not None and token != token.strip():
        raise DataError("the token begins or ends with white space, which clients cannot send")
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii()):
        raise DataError(f"the token is too easy to guess: give {SHORTEST_TOKEN} letters or more")


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach an address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets requests through that come from where they may come from, counts them, and adds what
    browsers are to keep to."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        paths: Iterable[str],
        open_paths: Iterable[str],
        hosts: Iterable[str] = (),
        token: str | None = None,
    ) -> None:
        self._app, self._metrics = app, metrics
        self._paths = frozenset(paths)
        self._open = OPEN | frozenset(open_paths)
        self._hosts = frozenset({"localhost", *(host.lower() for host in hosts)})
        self._known: set[bytes] = set()
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        path = scope["path"]
        status = 500

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            problem = self._problem(scope)
            if problem is None:
                await self._app(scope, receive, send_guarded)
            else:
                await problem.to_response()(scope, receive, send_guarded)
        finally:
            shown = path if path in self._paths else "other"
            self._metrics.count_request(shown, status, time.perf_counter() - start)

    def _problem(self, scope: Scope) -> ServiceError | None:
        """Why a request is refused, if it is."""
        host = origin = authorization = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value
            elif name == b"authorization":
                authorization = value
        if host not in self._known:
            if not self._may_be_called(host):
                return ServiceError(
                    HTTPStatus.FORBIDDEN,
                    "this service is not known by the name in the Host header: use its address, "
                    "or start it with --allow-host",
                )
            if len(self._known) < 1000:
                self._known.add(host)
        if origin and origin.lower() not in (b"http://" + host.lower(), b"https://" + host.lower()):
            return ServiceError(
                HTTPStatus.FORBIDDEN, "pages of other sites may not use this service (Origin)"
            )
        if self._token is not None and scope["path"] not in self._open:
            kind, _, given = authorization.partition(b" ")
            if kind.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
                return ServiceError(
                    HTTPStatus.UNAUTHORIZED,
                    "this needs the token that the service was started with: send it as "
                    "Authorization: Bearer TOKEN",
                )
        return None

    def _may_be_called(self, host: bytes) -> bool:
        if b"@" in host or b"/" in host:
            return False
        try:
            name = urlsplit(f"//{host.decode('ascii')}").hostname
        except ValueError:
            return False
        if not name:
            return False
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
