"""The page and its parts, and the description of the interface: read once, served from memory.

No path that a client names is ever opened.
"""

from __future__ import annotations

import json
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from dovetail import __version__

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
SHARED = ("base.css", "elements.js", "ask.js", "icon.svg")  # with the pages of other servers
PAGE = ("index.html", "page.css", "page.js", "service.js", "text.js", "why.js", *SHARED)


class Asset:
    """A file of the page of a package."""

    def __init__(self, name: str, package: str = __package__) -> None:
        file = resources.files(package).joinpath("page", name)
        self._content = file.read_bytes()
        self._type = TYPES[name[name.rindex(".") :]]

    async def __call__(self, _: Request) -> Response:
        return Response(self._content, media_type=self._type)


def _read_description() -> bytes:
    text = resources.files(__package__).joinpath("openapi.json").read_text(encoding="utf-8")
    description = json.loads(text)
    description["info"]["version"] = __version__
    return json.dumps(description).encode()


ASSETS = {"/" if name == "index.html" else f"/page/{name}": Asset(name).__call__ for name in PAGE}
DESCRIPTION = _read_description()


async def describe_interface(_: Request) -> Response:
    """``/openapi.json``"""
    return Response(DESCRIPTION, media_type="application/json")
