"""How long after a commit new suggestions are there, while somebody labels.

Sentences of CoNLL-2003, each a document; so many are finished, and then 20 more are, one after
another. The time is from the commit until the open document has suggestions of a model that has
learnt from it, in the studio's own threads, with and without an old tagger (of names, trained on
other sentences). Choices of pools above old taggers go on meanwhile, as they do in the studio.

Then the same through ``dovetail label``: from the request that finishes a document, by HTTP, until
the suggestions for the next one have come.

Wall time hangs on what else the machine does; CPU seconds a commit are told beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from threading import Condition
from typing import Any

import numpy as np

import tasks
from common import Targets, in_fresh_process, table

SIZES = {100: 1.0, 500: 1.0, 1500: 1.0, 5000: 3.0}  # sequences, and the seconds that p95 may take
COMMITS = 20
THREADS = 2
N_OLD = 3000  # sentences of the old tagger


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), choices=list(SIZES))
    options = parser.parse_args()
    targets = Targets()
    rows = []
    worst = 0.0
    ways = {
        "alone": (run, False),
        "with an old tagger": (run, True),
        "through the server": (run_server,),
    }
    for what, (measure, *given) in ways.items():
        for size in options.sizes:
            found = in_fresh_process(measure, size, *given).result
            p50, p95 = np.quantile(found["wall"], [0.5, 0.95])
            worst = max(worst, p95 / SIZES[size])
            targets.at_most(f"{size:,} sequences {what}, p95 in seconds", p95, SIZES[size])
            cpu = found["cpu"]
            rows.append([f"{size:,}", what, f"{p50:.2f}", f"{p95:.2f}", f"{cpu:.2f}"])
    heads = ["sequences", "", "p50", "p95", "CPU a commit"]
    table("From a commit to new suggestions (seconds)", heads, rows)
    targets.finish("suggest", worst, 1)


def run(size: int, with_old: bool) -> dict[str, Any]:
    """Wall seconds of each commit, and CPU seconds in the mean."""
    from dovetail import Corpus, Tagger
    from dovetail.studio import Gold
    from dovetail.studio.learning.learning import Learning

    words, labels = _sentences()
    corpus = Corpus.from_lists({"word": words, "ner": labels})
    order = np.random.default_rng(0).permutation(len(corpus))
    gold = Gold.of(corpus.select(order[: size + COMMITS + 1]), "ner")
    old = {}
    if with_old:
        text = corpus.select(order[-N_OLD:])
        old = {"old": Tagger(constraints="IOB2", threads=THREADS).fit(text, label="ner")}
    learning = Learning(
        {"ner": gold.labels},
        gold.documents.__getitem__,
        list(gold.documents),
        old=old,
        threads=THREADS,
    )
    told = Condition()
    versions = [0]

    def listen(news: Any) -> None:
        with told:
            if not news["training"]:
                versions.append(news["version"])
            told.notify_all()

    open_document = size + COMMITS
    learning.changed({k: {"ner": gold.annotations[k]} for k in range(size)})
    learning.opened(open_document)
    learning.start(listen)
    learning.wait()
    wall, cpu = [], time.process_time()
    for k in range(size, size + COMMITS):
        start, before = time.perf_counter(), versions[-1]
        learning.changed({k: {"ner": gold.annotations[k]}})
        with told:
            told.wait_for(lambda before=before: versions[-1] > before)  # type: ignore[misc]
        learning.suggest(open_document)
        wall.append(time.perf_counter() - start)
    learning.wait()
    cpu = (time.process_time() - cpu) / COMMITS
    learning.stop()
    return {"wall": wall, "cpu": cpu}


def run_server(size: int) -> dict[str, Any]:
    """The same through ``dovetail label``, in a process of its own."""
    from dovetail import Corpus
    from dovetail.studio import Gold
    from dovetail.studio.annotation import span_to_json
    from dovetail.studio.layers import Layer
    from dovetail.studio.project import ME, Entry, Project, Source

    words, labels = _sentences()
    corpus = Corpus.from_lists({"word": words, "ner": labels})
    order = np.random.default_rng(0).permutation(len(corpus))
    gold = Gold.of(corpus.select(order[: size + COMMITS + 1]), "ner")
    entries = tuple(
        Entry(document, None, {"ner": gold.annotations[k]} if k < size else {})
        for k, document in gold.documents.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "news")
        with Project.create(target, [Layer.of("ner", gold.labels)]) as project:
            numbers = project.add([Source("news", "text", entries)], ME)
        command = [sys.executable, "-c", "from dovetail.cli import main; main()", "label"]
        options = ["--no-open", "--port", "0", "--threads", str(THREADS)]
        process = subprocess.Popen([*command, target, *options], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            address, _, token = process.stdout.readline().split(" on ")[1].partition("/#token=")
            page = Page(int(address.rpartition(":")[2]), token.split()[0])
            page.ask("GET", f"/api/documents/{numbers[-1]}")
            page.wait_for_model(-1)
            wall, cpu = [], _cpu(process.pid)
            for k, number in list(enumerate(numbers))[size : size + COMMITS]:
                spans = [span_to_json(span) for span in gold.annotations[k].spans]
                body = {"layer": "ner", "kind": "done", "add": spans, "done": True}
                start, before = time.perf_counter(), page.version
                page.ask("POST", f"/api/documents/{number}/actions", body)
                page.wait_for_model(before)
                page.ask("GET", f"/api/suggestions?documents={numbers[-1]}")
                wall.append(time.perf_counter() - start)
            return {"wall": wall, "cpu": (_cpu(process.pid) - cpu) / COMMITS}
        finally:
            process.kill()
            process.communicate()


class Page:
    """What the page of an annotator does."""

    def __init__(self, port: int, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)
        events = HTTPConnection("127.0.0.1", port, timeout=120)
        events.request("GET", "/api/events", headers=self._headers)
        self._events = events.getresponse()
        self.version = -1

    def ask(self, method: str, path: str, value: Any = None) -> Any:
        body = None if value is None else json.dumps(value)
        self._connection.request(method, path, body, self._headers)
        answer = self._connection.getresponse()
        content = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(content)
        return content

    def wait_for_model(self, before: int) -> None:
        """Read what is new until a model of a later version is there."""
        if before < 0:
            self.version = int(self.ask("GET", "/api/project")["suggestions_version"])
        while self.version <= max(before, 0):
            line = self._events.readline().decode()
            if line.startswith("data: "):
                news = json.loads(line.removeprefix("data: "))
                if not news.get("training", True):
                    self.version = max(self.version, news["version"])
        self._connection.close()  # as the server may have done meanwhile; the next request opens it


def _cpu(pid: int) -> float:
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _sentences() -> tuple[list[list[str]], list[list[str]]]:
    rows = list(tasks.sentences(tasks.data_folder() / "conll2003" / "eng.train.gz"))
    words = [[row[0] for row in sentence] for sentence in rows]
    return words, [tasks._iob2([row[3] for row in sentence]) for sentence in rows]


if __name__ == "__main__":
    main()
