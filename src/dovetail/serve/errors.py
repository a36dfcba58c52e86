"""What a client is told when it cannot have what it asked for."""

from __future__ import annotations

from http import HTTPStatus
from json import dumps


class ServiceError(Exception):
    """One sentence, and the HTTP status that goes with it."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    def to_json(self) -> bytes:
        """What is answered."""
        return dumps({"error": self.sentence}).encode()


def bad_request(sentence: str) -> ServiceError:
    """The client sent something that makes no sense."""
    return ServiceError(HTTPStatus.BAD_REQUEST, sentence)


def failure() -> ServiceError:
    """The fault is ours."""
    return ServiceError(
        HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; the service's log has more"
    )
