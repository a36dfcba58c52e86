"""Projects to label, and clients for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dovetail.studio.opening import Wishes, open_project
from dovetail.studio.project import ME, Project

MAIL = "Who: Ada Lopez\nWhen: noon\n\nDr. Bo speaks at 3:30pm in K\u00f6ln \U0001f600.\n"
NOTE = "Ada Lopez speaks at noon.\n"
LABELS = {"label": ["SPEAKER", "TIME"]}


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Two plain texts."""
    files = [tmp_path / "mail.txt", tmp_path / "note.txt"]
    for file, text in zip(files, (MAIL, NOTE), strict=True):
        file.write_text(text, encoding="utf-8")
    return files


MakeProject = Callable[..., Project]


@pytest.fixture
def make_project(tmp_path: Path) -> Iterator[MakeProject]:
    """Makes or opens a project with the wishes given, and closes it in the end."""
    with ExitStack() as stack:

        def make(name: str = "talks", **wishes: Any) -> Project:
            return stack.enter_context(open_project(tmp_path / name, Wishes(**wishes)))

        yield make


@pytest.fixture
def project(make_project: MakeProject, texts: list[Path]) -> Project:
    """A project of two texts with one layer."""
    from dovetail.studio.importing import Reading

    return make_project(files=texts, labels=LABELS, reading=Reading("text"))


class Client:
    """Asks the studio in this process as the page of an annotator does."""

    def __init__(self, client: Any, token: str, loop: Any) -> None:
        self.http, self.loop = client, loop
        self._headers = {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **query: Any) -> Any:
        return self.http.get(path, params=query, headers=self._headers)

    def send(self, method: str, path: str, value: Any = None, **given: Any) -> Any:
        if value is not None:
            given["json"] = value
        return self.http.request(method, path, headers=self._headers, **given)

    def post(self, path: str, value: Any = None, **given: Any) -> Any:
        return self.send("POST", path, value, **given)

    def act(self, document: int = 1, layer: str = "label", **given: Any) -> Any:
        return self.post(f"/api/documents/{document}/actions", {"layer": layer, **given})

    def spans(self, document: int = 1, layer: str = "label") -> list[tuple[int, int, str]]:
        found = self.get(f"/api/documents/{document}").json()["annotations"][layer]["spans"]
        return [(span["start"], span["end"], span["label"]) for span in found]


@pytest.fixture
def make_client() -> Iterator[Callable[..., Client]]:
    """Makes a client of a studio in this process."""
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from dovetail.studio.app import make_app
    from dovetail.studio.loop import Loop

    with ExitStack() as stack:
        known: dict[int, Any] = {}

        def make(project: Project, annotator: str = ME, **settings: Any) -> Client:
            if id(project) not in known:
                loop = Loop(project, threads=1)
                app = make_app(project, loop, **settings)
                client = TestClient(app, base_url="http://127.0.0.1")
                known[id(project)] = stack.enter_context(client), loop
            client, loop = known[id(project)]
            return Client(client, project.token_of(annotator), loop)

        yield make


@pytest.fixture
def client(make_client: Callable[..., Client], project: Project) -> Client:
    """A client of the project of two texts."""
    return make_client(project)
