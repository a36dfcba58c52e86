"""Requests a second of ``dovetail serve``, one sentence each, on this machine alone.

Beside the same service with an answer that is known beforehand, which is what HTTP costs, and
beside a plain one with Starlette and python-crfsuite, with the features of its tutorial
on both sides: as uvicorn serves it by itself, and with the package that we parse HTTP with. Also
with our default features, which are some hundred a token. All take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pycrfsuite

import dovetail
import serve_apps
from common import HERE, Targets, table
from dovetail.demo import path

CLIENTS = (1, 8, 32)
OF_CONSTANT, OF_PLAIN = 0.7, 2.0
WARM_UP = 0.3
NAMES = {
    "constant": "constant answer",
    "ours": "dovetail serve",
    "plain": "Starlette, python-crfsuite",
    "faster": "the same with httptools",
    "default": "dovetail serve, default features",
}
word = dovetail.column("word")
FEATURES = dovetail.Template(
    word.lower.window(-1, 1),
    word.suffix(3),
    word.suffix(2),
    word.short_shape.window(-1, 1),
    word.digits,
)


class Load(NamedTuple):
    """What clients saw in one run: requests a second, and times of single requests in ms; and the
    CPU time of the service for each, in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float


class Service(NamedTuple):
    """A service in a process of its own."""

    port: int
    pid: int

    def cpu(self) -> float:
        """CPU seconds so far."""
        times = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    texts = [" ".join(words) for words in dovetail.read(path("test.conll")).lists("word")]
    bodies = [json.dumps({"text": text}).encode() for text in texts[:500]]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        services = {
            side: stack.enter_context(service(side, argument))
            for side, argument in arguments(Path(folder), texts[0]).items()
        }
        runs: dict[tuple[int, str], list[Load]] = {}
        for clients in CLIENTS:
            for _ in range(options.rounds):
                for side, running in services.items():
                    loaded = asyncio.run(load(running, bodies, clients, options.seconds))
                    runs.setdefault((clients, side), []).append(loaded)
    report(runs)


def arguments(folder: Path, text: str) -> dict[str, str]:
    """What each service is started with: models of the same text."""
    corpus = dovetail.read(path("train.conll"))
    ours, theirs = str(folder / "ours"), str(folder / "theirs")
    tagger = dovetail.Tagger(features=FEATURES, constraints="auto").fit(corpus)
    tagger.save(ours)
    default = str(folder / "default")
    dovetail.Tagger(constraints="auto").fit(corpus).save(default)
    trainer = pycrfsuite.Trainer(verbose=False)
    for words, labels in zip(corpus.lists("word"), corpus.lists("label"), strict=True):
        trainer.append(serve_apps.sentence_features(words), labels)
    trainer.train(theirs)
    answer = {"model": "talks", "version": "", "results": [tagger.tag_texts([text])[0].to_dict()]}
    return {
        "constant": json.dumps([ours, json.dumps(answer)]),
        "ours": ours,
        "plain": theirs,
        "faster": theirs,
        "default": default,
    }


@contextmanager
def service(side: str, argument: str) -> Iterator[Service]:
    """Start a service, and end it."""
    command = [sys.executable, str(HERE / "serve_apps.py"), side, argument]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Service(int(process.stdout.readline()), process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


async def load(running: Service, bodies: list[bytes], clients: int, seconds: float) -> Load:
    """Clients that ask one thing after another, each over one connection."""
    times: list[float] = []
    start = time.perf_counter() + WARM_UP
    end = start + seconds
    cpu = running.cpu()
    answered = await asyncio.gather(
        *(client(running.port, bodies[k::clients], start, end, times) for k in range(clients))
    )
    cpu = 1e6 * (running.cpu() - cpu) / sum(answered)
    times.sort()
    p50, p99 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.99))
    return Load(len(times) / seconds, p50, p99, cpu)


async def client(
    port: int, bodies: list[bytes], start: float, end: float, times: list[float]
) -> int:
    """The number of requests that were answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /v1/tag HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: "
    requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
    number = 0
    while (before := time.perf_counter()) < end:
        writer.write(requests[number % len(requests)])
        number += 1
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(answer.decode())
        _, _, size = answer.lower().partition(b"content-length: ")
        await reader.readexactly(int(size.partition(b"\r\n")[0]))
        if before >= start:
            times.append(time.perf_counter() - before)
    writer.close()
    await writer.wait_closed()
    return number


def report(runs: dict[tuple[int, str], list[Load]]) -> None:
    """The medians over rounds, and ratios of what ran right after one another."""
    rows, targets, least = [], Targets(), float("inf")
    for clients in CLIENTS:
        for side, name in NAMES.items():
            own, other = runs[clients, "ours"], runs[clients, side]
            ratio = median(a.rate / b.rate for a, b in zip(own, other, strict=True))
            middle = Load(*(median(column) for column in zip(*other, strict=True)))
            row = [f"{middle.rate:.0f}", f"{middle.p50:.2f}", f"{middle.p99:.2f}"]
            rows.append([f"{clients} x {name}", *row, f"{middle.cpu:.0f}", f"{ratio:.2f}"])
            if side == "constant":
                targets.at_least(f"{clients} clients, of the constant's rate", ratio, OF_CONSTANT)
                least = min(least, ratio)
            elif side == "plain":
                targets.at_least(f"{clients} clients, of python-crfsuite's rate", ratio, OF_PLAIN)
    header = ["clients", "requests/s", "p50 ms", "p99 ms", "CPU us", "ours to it"]
    table("One sentence a request", header, rows)
    targets.finish("serve", least, OF_CONSTANT)


if __name__ == "__main__":
    main()
