"""A studio in a process of its own, as users start it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple

COMMAND = [sys.executable, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


class Running(NamedTuple):
    """The process, the port that it listens on, and the tokens of its annotators."""

    process: subprocess.Popen[str]
    port: int
    tokens: list[str]

    def ask(self, method: str, path: str, value: Any = None, annotator: int = 0) -> tuple[int, Any]:
        """The status and the JSON that come back."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.tokens[annotator]}"}
        connection.request(method, path, None if value is None else json.dumps(value), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content)


@contextmanager
def labelling(*arguments: object, annotators: int = 1) -> Iterator[Running]:
    """``dovetail label`` with these arguments, on any free port."""
    command = [*COMMAND, "label", *map(str, arguments), "--no-open", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Labelling "), process.communicate()[1]
        links = [line]
        if "#token=" not in line:
            links = [process.stdout.readline() for _ in range(annotators)]
        port = int(links[0].partition("#")[0].rpartition(":")[2].strip("/"))
        yield Running(process, port, [link.partition("#token=")[2].split()[0] for link in links])
    finally:
        process.kill()
        process.communicate()
