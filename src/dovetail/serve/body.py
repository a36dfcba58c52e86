"""The body of a request, no longer and no slower than it may be."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.requests import ClientDisconnect, Request

from dovetail.serve.errors import ServiceError
from dovetail.serve.limits import Limits


async def read_body(request: Request, limits: Limits) -> bytes:
    """All of a request's body."""
    told = request.headers.get("content-length", "0")
    if told.isdecimal() and int(told) > limits.body:
        raise _too_large(limits)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.seconds):
            more = True
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                parts.append(message.get("body", b""))
                more = message.get("more_body", False)
                size += len(parts[-1])
                if size > limits.body:
                    raise _too_large(limits)
    except TimeoutError:
        raise ServiceError(
            HTTPStatus.REQUEST_TIMEOUT,
            f"the body did not arrive within {limits.seconds:g} seconds",
        ) from None
    return b"".join(parts)


def _too_large(limits: Limits) -> ServiceError:
    return ServiceError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the body is larger than {limits.body} bytes: send less at a time",
    )
