"""The studio as an ASGI application: its routes, and what runs beside them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from dovetail.errors import DataError, TrainingError
from dovetail.serve.body import read_body
from dovetail.serve.errors import ServiceError
from dovetail.serve.guard import Guard
from dovetail.serve.limits import Limits
from dovetail.serve.metrics import Metrics
from dovetail.serve.requests import read_object
from dovetail.studio.api import Reply, Studio
from dovetail.studio.assets import ASSETS
from dovetail.studio.events import Events
from dovetail.studio.guidance import Guidance
from dovetail.studio.loop import Loop
from dovetail.studio.management import Download, Management
from dovetail.studio.project import Project
from dovetail.studio.requests import EXAMPLE, read_number

JSON = "application/json"
Handler = Callable[[Request], Awaitable[Response]]


class Doors:
    """Between HTTP and the studio: who asks, what the body says, and the answer as JSON."""

    def __init__(self, studio: Studio, events: Events, limits: Limits) -> None:
        self._studio, self._events, self._limits = studio, events, limits

    def reading(self, answer: Callable[[str, Mapping[str, str]], Any]) -> Handler:
        """A route that is asked by its query."""

        async def handle(request: Request) -> Response:
            me = await self._who(request)
            return await _answer(answer, me, request.query_params)

        return handle

    def of_document(self, answer: Callable[[str, int, Mapping[str, str]], Any]) -> Handler:
        """A route of one document."""

        async def handle(request: Request) -> Response:
            me = await self._who(request)
            return await _answer(answer, me, _document(request), request.query_params)

        return handle

    def writing(self, answer: Callable[..., Any]) -> Handler:
        """A route that takes a body, and perhaps the number of a document."""

        async def handle(request: Request) -> Response:
            me = await self._who(request)
            body = await read_body(request, self._limits)
            given = read_object(body or b"{}", example=EXAMPLE)
            number = [_document(request)] if "id" in request.path_params else []
            return await _answer(answer, me, *number, given)

        return handle

    async def stream_events(self, request: Request) -> Response:
        """``GET /api/events``: a line for each thing that is new, until the page goes."""
        me = await self._who(request)
        return StreamingResponse(self._events.lines(me), media_type="text/event-stream")

    async def _who(self, request: Request) -> str:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        me = None
        if kind.lower() == "bearer" and token.strip():
            me = await asyncio.to_thread(self._studio.project.annotator_of, token.strip())
        if me is None:
            raise ServiceError(
                HTTPStatus.UNAUTHORIZED,
                "this needs the token of an annotator: open the link that dovetail label showed",
            )
        return me


def make_app(
    project: Project,
    loop: Loop,
    *,
    limits: Limits | None = None,
    hosts: Iterable[str] = (),
) -> Starlette:
    """The studio for a project. ``hosts`` are names it may be called by, beside localhost and
    addresses."""
    studio, events = Studio(project, loop), Events()
    management = Management(project, loop, events.tell_labels)
    guidance = Guidance(project, loop)
    doors = Doors(studio, events, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        events.start()
        loop.start(events.tell)
        try:
            yield
        finally:
            events.stop()
            await asyncio.to_thread(loop.stop)

    def get(path: str, handler: Handler) -> Route:
        return Route(path, handler, methods=["GET"])

    def post(path: str, handler: Handler) -> Route:
        return Route(path, handler, methods=["POST"])

    def put(path: str, handler: Handler) -> Route:
        return Route(path, handler, methods=["PUT"])

    routes = [
        get("/api/project", doors.reading(studio.show_project)),
        get("/api/documents", doors.reading(studio.list_documents)),
        get("/api/documents/{id}", doors.of_document(studio.show_document)),
        post("/api/documents/{id}/actions", doors.writing(studio.act)),
        post("/api/documents/{id}/undo", doors.writing(studio.undo)),
        post("/api/documents/{id}/redo", doors.writing(studio.redo)),
        get("/api/documents/{id}/compare", doors.of_document(management.compare)),
        put("/api/layers", doors.writing(management.set_layers)),
        get("/api/labels", doors.reading(management.show_labels)),
        post("/api/rule", doors.writing(management.rule)),
        get("/api/agreement", doors.reading(management.show_agreement)),
        post("/api/settle", doors.writing(management.settle)),
        post("/api/finish", doors.writing(management.finish)),
        get("/api/export", doors.reading(management.export)),
        get("/api/suggestions", doors.reading(studio.suggest)),
        get("/api/next", doors.reading(studio.next)),
        get("/api/questions", doors.reading(guidance.question)),
        get("/api/progress", doors.reading(guidance.progress)),
        get("/api/suspicious", doors.reading(guidance.suspicious)),
        put("/api/settings", doors.writing(guidance.set_settings)),
        get("/api/events", doors.stream_events),
        *[get(path, asset) for path, asset in ASSETS.items()],
    ]
    guard = Middleware(Guard, metrics=Metrics(), paths=(), open_paths=ASSETS, hosts=hosts)
    app = Starlette(
        routes=routes,
        middleware=[guard],
        lifespan=lifespan,
        exception_handlers={
            ServiceError: _answer_problem,
            DataError: _answer_problem,
            TrainingError: _answer_problem,
            sqlite3.Error: _answer_storage_problem,
            HTTPException: _answer_http_error,
            ClientDisconnect: _answer_http_error,
        },
    )
    app.state.events = events
    return app


def _document(request: Request) -> int:
    """The number of a document in a path."""
    number = read_number(request.path_params["id"])
    if number is None:
        raise ServiceError(HTTPStatus.NOT_FOUND, "there is nothing here")
    return number


async def _answer(answer: Callable[..., Any], *given: Any) -> Response:
    value = await asyncio.to_thread(answer, *given)
    if isinstance(value, Download):
        headers = {"Content-Disposition": f'attachment; filename="{value.name}"'}
        return Response(value.content, media_type="application/octet-stream", headers=headers)
    status, content = value if isinstance(value, Reply) else (HTTPStatus.OK, value)
    return Response(json.dumps(content, ensure_ascii=False).encode(), status, media_type=JSON)


async def _answer_problem(_: Request, error: Exception) -> Response:
    if isinstance(error, ServiceError):
        return error.to_response()
    return ServiceError(HTTPStatus.BAD_REQUEST, str(error)).to_response()


async def _answer_storage_problem(_: Request, error: Exception) -> Response:
    sentence = f"the project cannot be read or written ({error}): nothing of this was kept"
    return ServiceError(HTTPStatus.INSUFFICIENT_STORAGE, sentence).to_response()


async def _answer_http_error(request: Request, error: Exception) -> Response:
    """No such page, or a method that it does not have; a client that is gone hears nothing."""
    if not isinstance(error, HTTPException):
        return Response(status_code=HTTPStatus.BAD_REQUEST)
    sentences = {
        HTTPStatus.NOT_FOUND: "there is nothing here",
        HTTPStatus.METHOD_NOT_ALLOWED: f"this cannot be asked by {request.method}",
    }
    status = HTTPStatus(error.status_code)
    sentence = sentences.get(status, str(error.detail))
    return ServiceError(status, sentence).to_response(error.headers)
