"""The studio in a process of its own, as users start it, and what it says it has."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

PYTHON = os.environ.get("DOVETAIL_PYTHON", sys.executable)  # that of an installed wheel, perhaps
COMMAND = [PYTHON, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


def free_port() -> int:
    """A port that nobody has, so that a studio can come back to its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class Labelling:
    """``dovetail label`` for a project, which can be killed and started again."""

    def __init__(self, project: Path, *arguments: object) -> None:
        self.project = project
        self.port = free_port()
        self.start(*arguments)

    def start(self, *arguments: object) -> None:
        command = [*COMMAND, "label", str(self.project), *map(str, arguments)]
        self.process = subprocess.Popen(
            [*command, "--no-open", "--port", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "Ctrl-C" in line, self.process.communicate()[1]
        self.link = line.split(" on ")[1].split()[0]

    def link_of(self, annotator: str) -> str:
        """The link of one of several annotators, printed in lines of their own."""
        assert self.process.stdout is not None
        while True:
            name, _, link = self.process.stdout.readline().strip().partition(": ")
            if name == annotator:
                return link

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.communicate()

    def get(self, path: str, link: str | None = None) -> Any:
        """What the server answers to a page of an annotator."""
        address, _, token = (link or self.link).partition("#token=")
        asked = Request(f"{address}api/{path}", headers={"Authorization": f"Bearer {token}"})
        with urlopen(asked, timeout=30) as answer:
            return json.load(answer)

    def spans(self, document: int = 1, layer: str = "fields", link: str | None = None) -> list[Any]:
        """The spans that the server has, as the text that they cover and their label."""
        found = self.get(f"documents/{document}", link)
        text, tokens = found["text"], found["tokens"]
        spans = []
        for span in found["annotations"][layer]["spans"]:
            first, end = span.get("characters") or (
                tokens[span["start"]][0],
                tokens[span["end"] - 1][1],
            )
            spans.append((text[first:end], span["label"]))
        return spans


@contextmanager
def labelling(project: Path, *arguments: object) -> Iterator[Labelling]:
    """``dovetail label`` with these arguments."""
    running = Labelling(project, *arguments)
    try:
        yield running
    finally:
        running.kill()
