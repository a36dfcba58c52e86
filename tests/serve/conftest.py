"""Models to serve, and clients for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import dovetail
from dovetail.demo import path

NEWS = {
    "word": [["Ada", "Lopez", "spoke"], ["he", "saw", "Bob"], ["Rome", "slept"]],
    "ner": [["B-PER", "I-PER", "O"], ["O", "O", "B-PER"], ["B-LOC", "O"]],
}
TALKS = {
    "word": [["by", "Ada", "Lopez"], ["at", "noon"], ["in", "Rome"], ["by", "Bob"]],
    "fields": [
        ["O", "B-SPEAKER", "I-SPEAKER"],
        ["O", "B-TIME"],
        ["O", "B-PLACE"],
        ["O", "B-SPEAKER"],
    ],
}

MakeClient = Callable[..., Any]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved models: a tagger, a pipeline of two, one of plain labels, one of feature lists."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    made = tmp_path_factory.mktemp("served")
    talks = dovetail.Tagger(constraints="auto").fit(dovetail.read(path("few.conll")))
    talks.save(made / "talks.dovetail")
    layers = {name: dovetail.Tagger(c2=0.05, constraints="auto") for name in ("ner", "fields")}
    corpora = {
        "ner": dovetail.Corpus.from_lists(NEWS),
        "fields": dovetail.Corpus.from_lists(TALKS),
    }
    dovetail.Pipeline(layers, decode="joint").fit(corpora).save(made / "both.dovetail")
    words = {"word": [["the", "dog", "barks"]] * 3, "tag": [["DT", "NN", "VB"]] * 3}
    dovetail.Tagger(c2=0.1).fit(dovetail.Corpus.from_lists(words)).save(made / "pos.dovetail")
    features = [[["w=the"], ["w=cat"]], [["w=a"], ["w=dog", "short"]]]
    dovetail.Tagger(c2=0.1).fit(features, [["DT", "NN"]] * 2).save(made / "listed.dovetail")
    return made


@pytest.fixture
def make_client(folder: Path) -> Iterator[MakeClient]:
    """Makes a client of a service in this process, for models of the folder by their names."""
    from starlette.testclient import TestClient

    from dovetail.serve.app import make_app
    from dovetail.serve.models import ServedModels

    with ExitStack() as stack:

        def make(*names: str, base_url: str = "http://127.0.0.1", **settings: Any) -> Any:
            files = {name: folder / f"{name}.dovetail" for name in names or ("talks",)}
            app = make_app(ServedModels(files), **settings)
            return stack.enter_context(TestClient(app, base_url=base_url))

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> Any:
    """A client of a service with all models."""
    return make_client("talks", "both", "pos", "listed")
