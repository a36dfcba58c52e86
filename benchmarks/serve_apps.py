"""The services that `serve.py` compares: ours, ours with a constant answer, and a plain one."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Callable
from typing import Any, Literal

import pycrfsuite
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dovetail.corpus.labels import spans
from dovetail.serve.app import make_app
from dovetail.serve.limits import Limits
from dovetail.serve.models import ServedModels
from dovetail.serve.server import open_socket, run

TOKEN = re.compile(r"\w+|\S")


def ours(model: str) -> Starlette:
    return make_app(ServedModels({"talks": model}))


def constant(answer: str) -> Starlette:
    """The same service, but what it answers is known beforehand."""
    model, content = json.loads(answer)
    app = make_app(ServedModels({"talks": model}))

    async def tag(request: Request) -> Response:
        await request.body()
        return Response(content, media_type="application/json")

    app.router.routes.insert(0, Route("/v1/tag", tag, methods=["POST"]))
    return app


def plain(model: str) -> Starlette:
    """What one writes in an hour: Starlette, and python-crfsuite with its tutorial's features."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)

    async def tag(request: Request) -> Response:
        text = (await request.json())["text"]
        found = [(match[0], *match.span()) for match in TOKEN.finditer(text)]
        labels = tagger.tag(sentence_features([word for word, _, _ in found]))
        sure = tagger.probability(labels)
        shown = [
            {
                "start": found[first][1],
                "end": found[after - 1][2],
                "label": label,
                "text": text[found[first][1] : found[after - 1][2]],
            }
            for first, after, label in spans(labels)
        ]
        return JSONResponse({"text": text, "spans": shown, "probability": sure})

    return Starlette(routes=[Route("/v1/tag", tag, methods=["POST"])])


def sentence_features(words: list[str]) -> list[list[str]]:
    """The features of python-crfsuite's tutorial, but for the parts of speech."""
    return [_word_features(words, place) for place in range(len(words))]


def _word_features(words: list[str], place: int) -> list[str]:
    word = words[place]
    features = [
        "bias",
        "word.lower=" + word.lower(),
        "word[-3:]=" + word[-3:],
        "word[-2:]=" + word[-2:],
        f"word.isupper={word.isupper()}",
        f"word.istitle={word.istitle()}",
        f"word.isdigit={word.isdigit()}",
    ]
    for offset, end in ((-1, "BOS"), (1, "EOS")):
        if not 0 <= place + offset < len(words):
            features.append(end)
            continue
        other = words[place + offset]
        features += [
            f"{offset}:word.lower={other.lower()}",
            f"{offset}:word.istitle={other.istitle()}",
            f"{offset}:word.isupper={other.isupper()}",
        ]
    return features


APPS: dict[str, Callable[[str], Any]] = {
    "ours": ours,
    "default": ours,
    "constant": constant,
}
PLAIN: dict[str, Literal["h11", "httptools"]] = {"plain": "h11", "faster": "httptools"}


def run_plainly(
    app: Starlette, listening: socket.socket, http: Literal["h11", "httptools"]
) -> None:
    """As uvicorn does it by itself."""
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False, http=http)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    kind, argument = sys.argv[1:]
    listening = open_socket("127.0.0.1", 0)
    if kind in PLAIN:
        run_plainly(plain(argument), listening, PLAIN[kind])
    run(
        APPS[kind](argument),
        listening,
        Limits(),
        started=lambda: print(listening.getsockname()[1], flush=True),
    )
