"""What the threads beside the event loop do: many requests in, an answer to each out."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dovetail.errors import DovetailError
from dovetail.serve.answers import explain, tag_items
from dovetail.serve.batching import Answer
from dovetail.serve.errors import bad_request, failure
from dovetail.serve.requests import ExplainRequest, TagRequest

Request = TypeVar("Request")
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
LOG = logging.getLogger(__name__)


def answer_tag_requests(requests: Sequence[TagRequest]) -> list[Answer]:
    """Requests that ask the same of the same model are one call of it."""
    if len(requests) == 1:
        return [_guarded(_tag_alone, requests[0])]
    groups: dict[Any, list[int]] = {}
    for place, request in enumerate(requests):
        alone = place if request.model.reads_whole_corpora else None
        key = (request.model, request.are_texts, request.options, alone)
        groups.setdefault(key, []).append(place)
    answers: dict[int, Answer] = {}
    for places in groups.values():
        members = [requests[place] for place in places]
        answers.update(zip(places, _answer_group(members), strict=True))
    return [answers[place] for place in range(len(requests))]


def answer_explain_requests(requests: Sequence[ExplainRequest]) -> list[Answer]:
    """One after another."""
    return [_guarded(_explain, request) for request in requests]


def _explain(request: ExplainRequest) -> bytes:
    return _to_json(explain(request))


def _answer_group(requests: Sequence[TagRequest]) -> Sequence[Answer]:
    if len(requests) > 1:
        try:
            return _tag_together(requests)
        except Exception:  # then each by itself, to see whose fault it is
            LOG.debug("requests that go wrong together are answered one by one")
    return [_guarded(_tag_alone, request) for request in requests]


def _tag_alone(request: TagRequest) -> bytes:
    return _tag_together([request])[0]


def _tag_together(requests: Sequence[TagRequest]) -> list[bytes]:
    first = requests[0]
    items = [item for request in requests for item in request.items]
    results = tag_items(first.model, items, first.are_texts, first.options)
    head = {"model": first.model.name, "version": first.model.version}
    answers, start = [], 0
    for request in requests:
        own = results[start : start + len(request.items)]
        start += len(request.items)
        if request.as_lines:
            answers.append(b"".join(_to_json(one) + b"\n" for one in own))
        else:
            answers.append(_to_json({**head, "results": own}))
    return answers


def _guarded(answer: Callable[[Request], bytes], request: Request) -> Answer:
    """An answer, or the sentence that says why there is none."""
    try:
        return answer(request)
    except DovetailError as error:
        return bad_request(str(error))
    except Exception:
        LOG.exception("a request failed")
        return failure()


def _to_json(answer: dict[str, Any]) -> bytes:
    return ENCODER.encode(answer).encode()
