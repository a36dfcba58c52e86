"""Mixed load on ``dovetail serve`` while its model is replaced again and again: no error, and
memory that stays as it is."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import dovetail
import serve
from common import Targets, table
from dovetail.demo import path

CLIENTS = 4
PAUSE = 0.01  # seconds between two requests of a client: the machine is not to be filled
REPLACED = 2.0  # seconds from one model to the next
GROWTH = 1.1  # memory at the end, to that after the first quarter
LINES = "Accept: application/x-ndjson\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    corpus = dovetail.read(path("few.conll"))
    texts = [" ".join(words) for words in dovetail.read(path("test.conll")).lists("word")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [folder / "a", folder / "b"]
        for c2, model in zip((0.5, 2.0), models, strict=True):
            dovetail.Tagger(c2=c2, constraints="auto").fit(corpus).save(model)
        served = folder / "served"
        shutil.copy(models[0], served)
        with serve.service("ours", str(served)) as running:
            soak = Soak(running, texts, models, served)
            memory = asyncio.run(soak.run(options.seconds))
    rows = [[f"{kind}, {status}", str(n)] for (kind, status), n in sorted(soak.answers.items())]
    rows.append(["models, by version", str(len(soak.versions))])
    rows += [[f"MB after {share} of the time", f"{mb:.1f}"] for share, mb in memory.items()]
    table(f"{options.seconds:g} seconds of mixed load", ["what", "count"], rows)
    growth = memory["4/4"] / memory["1/4"]
    targets = Targets()
    targets.at_most("memory at the end to that after a quarter", growth, GROWTH)
    targets.at_least("models that answered", len(soak.versions), 2)
    targets.finish("serve_soak", growth, GROWTH)


class Soak:
    """Clients that ask for everything there is, in turns; an answer of another status than expected
    ends it."""

    def __init__(
        self, running: serve.Service, texts: list[str], models: list[Path], served: Path
    ) -> None:
        self.running, self.texts, self.models, self.served = running, texts, models, served
        self.answers: Counter[tuple[str, int]] = Counter()
        self.versions: set[str] = set()

    async def run(self, seconds: float) -> dict[str, float]:
        """Memory in MB as time goes by."""
        start = time.monotonic()
        end = start + seconds
        tasks = [asyncio.create_task(self._ask(number, end)) for number in range(CLIENTS)]
        tasks.append(asyncio.create_task(self._replace(end)))
        memory = {}
        for quarter in range(1, 5):
            await asyncio.sleep(max(0.0, start + quarter * seconds / 4 - time.monotonic() - 0.1))
            memory[f"{quarter}/4"] = self._memory()
        await asyncio.gather(*tasks)
        return memory

    def _memory(self) -> float:
        status = Path(f"/proc/{self.running.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    async def _replace(self, end: float) -> None:
        for model in itertools.cycle(self.models[::-1]):
            await asyncio.sleep(REPLACED)
            if time.monotonic() > end:
                return
            shutil.copy(model, self.served.with_suffix(".new"))
            self.served.with_suffix(".new").rename(self.served)

    async def _ask(self, number: int, end: float) -> None:
        text = itertools.cycle(self.texts[number:] + self.texts[:number])
        kinds = itertools.cycle(
            [
                ("text", "/v1/tag", lambda: {"text": next(text)}, "", 200),
                ("texts", "/v1/tag", lambda: {"texts": [next(text) for _ in range(50)]}, "", 200),
                ("lines", "/v1/tag", lambda: {"texts": [next(text)] * 100}, LINES, 200),
                ("n-best", "/v1/tag", lambda: {"text": next(text), "nbest": 5}, "", 200),
                ("marginals", "/v1/tag", lambda: {"text": next(text), "marginals": True}, "", 200),
                ("explain", "/v1/explain", lambda: {"text": next(text), "token": 0}, "", 200),
                ("wrong", "/v1/tag", lambda: {"text": 1}, "", 400),
            ]
        )
        while time.monotonic() < end:
            kind, where, body, headers, expected = next(kinds)
            status, answer = await self._post(where, json.dumps(body()).encode(), headers)
            if status != expected:
                raise RuntimeError(f"{kind}: {status} {answer[:200]!r}")
            self.answers[kind, status] += 1
            if kind == "text":
                self.versions.add(json.loads(answer)["version"])
            await asyncio.sleep(PAUSE)

    async def _post(self, where: str, body: bytes, headers: str) -> tuple[int, bytes]:
        port = self.running.port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST {where} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.read(-1)
        writer.close()
        await writer.wait_closed()
        first, _, rest = answer.partition(b"\r\n\r\n")
        return int(first.split(b" ", 2)[1]), rest


if __name__ == "__main__":
    main()
