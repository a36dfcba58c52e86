"""A studio as users start it: what survives kill -9, and what a second one is told."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from dovetail.studio.project import Project
from studio.process import COMMAND, Running, labelling

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    """A new project of one long text, and how it is opened."""
    text = tmp_path / "long.txt"
    text.write_text(" ".join(["word"] * 400))
    return [tmp_path / "p", "--import", text, "--labels", "A,B"]


def label(running: Running, token: int) -> tuple[int, Any]:
    span = {"start": token, "end": token + 1, "label": "A"}
    return running.ask("POST", "/api/documents/1/actions", {"layer": "label", "add": [span]})


def kept(folder: Path) -> list[int]:
    with Project.open(folder) as project:
        assert project.journal.replay() == project.journal.all_current()
        return [span.start for span in project.current("me", 1, "label").annotation.spans]


def test_kill_9_loses_no_action_that_was_answered(arguments: list[object], tmp_path: Path) -> None:
    answered: list[int] = []
    enough = Event()

    def type_on(running: Running) -> None:
        try:
            for token in range(400):
                if label(running, token)[0] == 200:
                    answered.append(token)
                if len(answered) == 20:
                    enough.set()
        except (OSError, ValueError):  # killed
            enough.set()

    with labelling(*arguments) as running:
        typing = Thread(target=type_on, args=(running,))
        typing.start()
        assert enough.wait(60)
        os.kill(running.process.pid, signal.SIGKILL)
        typing.join(60)
    assert not typing.is_alive()
    assert len(answered) >= 20
    found = kept(tmp_path / "p")
    assert found[: len(answered)] == answered
    assert len(found) <= len(answered) + 1  # that of the key being pressed
    with labelling(tmp_path / "p") as running:
        spans = running.ask("GET", "/api/documents/1")[1]["annotations"]["label"]["spans"]
        assert [span["start"] for span in spans] == found
        assert running.ask("POST", "/api/documents/1/undo")[0] == 200
    assert kept(tmp_path / "p") == found[:-1]


def test_two_annotators_label_at_once(arguments: list[object]) -> None:
    more = ["--annotator", "Ada", "--annotator", "Bo"]
    with labelling(*arguments, *more, annotators=2) as running:

        def type_on(who: int) -> None:
            for token in range(who, 40, 2):
                span = {"start": token, "end": token + 1, "label": "AB"[who]}
                action = {"layer": "label", "add": [span]}
                status, _ = running.ask("POST", "/api/documents/1/actions", action, annotator=who)
                assert status == 200

        threads = [Thread(target=type_on, args=(who,)) for who in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for who in (0, 1):
            found = running.ask("GET", "/api/documents/1", annotator=who)[1]
            spans = found["annotations"]["label"]["spans"]
            assert [span["start"] for span in spans] == list(range(who, 40, 2))


def run(*arguments: object) -> tuple[int, str, str]:
    done = subprocess.run(
        [*COMMAND, "label", *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_a_second_server_is_told_where_the_first_is(
    arguments: list[object], tmp_path: Path
) -> None:
    with labelling(*arguments) as running:
        assert label(running, 3)[0] == 200
        code, _, said = run(tmp_path / "p", "--no-open")
        assert code == 1
        assert f"is open in another dovetail label, on http://127.0.0.1:{running.port}/" in said
        assert said.count("\n") == 1
    assert kept(tmp_path / "p") == [3]


def test_a_port_that_is_taken(arguments: list[object], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, said = run(*arguments, "--no-open", "--port", port)
    assert (code, said.count("\n")) == (1, 1)
    assert f"port {port} of 127.0.0.1 is taken" in said
    with labelling(tmp_path / "p") as running:  # and the project is there
        assert running.ask("GET", "/api/project")[1]["counts"]["documents"] == 1


def test_a_folder_of_another_version(arguments: list[object], tmp_path: Path) -> None:
    with labelling(*arguments) as running:
        label(running, 0)
    database = sqlite3.connect(tmp_path / "p" / "project.sqlite")
    database.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    database.commit()
    database.close()
    code, _, said = run(tmp_path / "p", "--no-open")
    assert (code, said.count("\n")) == (1, 1)
    assert "has format 99 where this version of Dovetail has 1" in said


@pytest.mark.parametrize("content", [b"", b"not a database, but text" * 100])
def test_a_file_that_is_no_project(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "project.sqlite").write_bytes(content)
    code, _, said = run(tmp_path / "p", "--no-open")
    assert (code, said.count("\n")) == (1, 1)
    assert "is not a project of dovetail label" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_though_pages_are_open(arguments: list[object], number: int) -> None:
    with labelling(*arguments) as running:
        listening = HTTPConnection("127.0.0.1", running.port, timeout=60)
        headers = {"Authorization": f"Bearer {running.tokens[0]}"}
        listening.request("GET", "/api/events", headers=headers)
        events = listening.getresponse()
        assert events.readline().startswith(b":")
        running.process.send_signal(number)
        assert events.read() is not None  # to its end
        assert running.process.wait(20) == 0
        listening.close()
