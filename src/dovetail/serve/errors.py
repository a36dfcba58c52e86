"""What a client is told when it cannot have what it asked for."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from json import dumps

from starlette.responses import Response

HEADERS = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
    HTTPStatus.TOO_MANY_REQUESTS: {"Retry-After": "1"},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "1"},
}


class ServiceError(Exception):
    """One sentence, and the HTTP status that goes with it."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    def to_json(self) -> bytes:
        """What is answered."""
        return dumps({"error": self.sentence}).encode()

    def to_response(self, headers: Mapping[str, str] | None = None) -> Response:
        """The answer, with what a client needs to do better."""
        more = {**HEADERS.get(self.status, {}), **(headers or {})}
        return Response(self.to_json(), self.status, more, media_type="application/json")


def bad_request(sentence: str) -> ServiceError:
    """The client sent something that makes no sense."""
    return ServiceError(HTTPStatus.BAD_REQUEST, sentence)


def failure() -> ServiceError:
    """The fault is ours."""
    return ServiceError(
        HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; the service's log has more"
    )
