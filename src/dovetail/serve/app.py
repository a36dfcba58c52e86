"""The service as an ASGI application: its routes, and what runs beside them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from dovetail.serve.assets import ASSETS, describe_interface
from dovetail.serve.batching import Answer, Batcher
from dovetail.serve.body import read_body
from dovetail.serve.errors import ServiceError
from dovetail.serve.guard import Guard
from dovetail.serve.limits import Limits
from dovetail.serve.metrics import Metrics
from dovetail.serve.models import ServedModel, ServedModels
from dovetail.serve.requests import (
    ExplainRequest,
    TagRequest,
    read_explain_request,
    read_tag_request,
)
from dovetail.serve.work import answer_explain_requests, answer_tag_requests

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
STREAMED = 64  # texts or sequences that a stream answers at a time
SMALL = 50_000  # bytes that are parsed at once; more are parsed in a thread
LOG = logging.getLogger(__name__)
Asked = TypeVar("Asked", TagRequest, ExplainRequest)
Reader = Callable[[bytes, Mapping[str, ServedModel], Limits], Asked]


class Service:
    """Answers the requests of all routes."""

    def __init__(self, models: ServedModels, limits: Limits) -> None:
        self.models, self.limits, self.metrics = models, limits, Metrics()
        self.tagging = Batcher(self._tag_counted, limits)
        self.explaining = Batcher(answer_explain_requests, limits, most=1)

    def _tag_counted(self, requests: Sequence[TagRequest]) -> list[Answer]:
        items: Counter[str] = Counter()
        for request in requests:
            items[request.model.name] += len(request.items)
        self.metrics.count_batch(items, len(requests))
        return answer_tag_requests(requests)

    async def tag(self, request: Request) -> Response:
        """``/v1/tag``: what is found in texts or sequences of tokens."""
        asked, size = await self._read(request, read_tag_request)
        if JSON_LINES in request.headers.get("accept", ""):
            return await self._stream(asked, size)
        return Response(await self.tagging.submit(asked, size), media_type=JSON)

    async def _stream(self, asked: TagRequest, size: int) -> Response:
        """A line for each text or sequence; the first ones are found before anything is sent, so
        that what is wrong with them can still be said by the status."""
        together = asked.model.reads_whole_corpora
        parts = asked.in_lines(max(1, len(asked.items)) if together else STREAMED)
        share = size // max(1, len(parts))
        first = await self.tagging.submit(parts[0], share) if parts else b""

        async def lines() -> AsyncIterator[bytes]:
            yield first
            for part in parts[1:]:
                try:
                    yield await self.tagging.submit(part, share, admitted=True)
                except ServiceError as problem:
                    yield problem.to_json() + b"\n"
                    return

        return StreamingResponse(lines(), media_type=JSON_LINES)

    async def explain(self, request: Request) -> Response:
        """``/v1/explain``: why a sequence got its labels."""
        asked, size = await self._read(request, read_explain_request)
        return Response(await self.explaining.submit(asked, size), media_type=JSON)

    async def _read(self, request: Request, reader: Reader[Asked]) -> tuple[Asked, int]:
        body = await read_body(request, self.limits)
        arguments = (body, self.models.by_name, self.limits)
        if len(body) <= SMALL:
            return reader(*arguments), len(body)
        return await asyncio.to_thread(reader, *arguments), len(body)

    async def list_models(self, _: Request) -> Response:
        """``/v1/models``: what there is."""
        listed = [model.to_dict() for model in self.models.by_name.values()]
        content = json.dumps({"models": listed}, ensure_ascii=False).encode()
        return Response(content, media_type=JSON)

    async def health(self, _: Request) -> Response:
        """``/healthz``: that it runs."""
        return Response(b'{"status":"ok"}', media_type=JSON)

    async def show_metrics(self, _: Request) -> Response:
        """``/metrics``: what was done so far."""
        versions = {name: model.version for name, model in self.models.by_name.items()}
        waiting = self.tagging.waiting + self.explaining.waiting
        return Response(self.metrics.to_text(waiting, versions), media_type=PROMETHEUS)

    async def watch_files(self, seconds: float) -> None:
        """Open models again whose files are replaced."""
        while True:
            await asyncio.sleep(seconds)
            for name, problem in await asyncio.to_thread(lambda: list(self.models.refresh())):
                self.metrics.count_reload(name, failed=problem is not None)
                if problem is None:
                    LOG.warning("%s was replaced and is served as it is now", name)
                else:
                    LOG.warning("%s is served as it was: %s", name, problem)


def make_app(
    models: ServedModels,
    *,
    limits: Limits | None = None,
    token: str | None = None,
    hosts: Iterable[str] = (),
    reload_seconds: float = 1.0,
) -> Starlette:
    """The service for some models.

    ``token``, if there is one, is what clients must send. ``hosts`` are names that clients may call
    the service by, beside localhost and addresses. Files are looked at every ``reload_seconds``.
    """
    service = Service(models, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.tagging.start()
        service.explaining.start()
        watcher = asyncio.create_task(service.watch_files(reload_seconds))
        try:
            yield
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
            await service.tagging.stop()
            await service.explaining.stop()

    routes = [
        Route("/v1/tag", service.tag, methods=["POST"]),
        Route("/v1/explain", service.explain, methods=["POST"]),
        Route("/v1/models", service.list_models, methods=["GET"]),
        Route("/healthz", service.health, methods=["GET"]),
        Route("/metrics", service.show_metrics, methods=["GET"]),
        Route("/openapi.json", describe_interface, methods=["GET"]),
        *[Route(path, asset, methods=["GET"]) for path, asset in ASSETS.items()],
    ]
    guard = Middleware(
        Guard,
        metrics=service.metrics,
        paths=[route.path for route in routes],
        open_paths=ASSETS,
        hosts=hosts,
        token=token,
    )
    return Starlette(
        routes=routes,
        middleware=[guard],
        lifespan=lifespan,
        exception_handlers={
            ServiceError: _answer_problem,
            HTTPException: _answer_http_error,
            ClientDisconnect: _answer_http_error,
        },
    )


async def _answer_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return error.to_response()


async def _answer_http_error(request: Request, error: Exception) -> Response:
    """No such page, or a method that it does not have; a client that is gone hears nothing."""
    if not isinstance(error, HTTPException):
        return Response(status_code=HTTPStatus.BAD_REQUEST)
    sentences = {
        HTTPStatus.NOT_FOUND: "there is nothing here: /openapi.json says what there is",
        HTTPStatus.METHOD_NOT_ALLOWED: f"this cannot be asked by {request.method}",
    }
    status = HTTPStatus(error.status_code)
    sentence = sentences.get(status, str(error.detail))
    return ServiceError(status, sentence).to_response(error.headers)
