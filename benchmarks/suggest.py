"""How long after a commit new suggestions are there, while somebody labels.

Sentences of CoNLL-2003, each a document; so many are finished, and then 20 more are, one after
another. The time is from the commit until the open document has suggestions of a model that has
learnt from it, in the studio's own threads, with and without an old tagger (of names, trained on
other sentences). Choices of pools above old taggers go on meanwhile, as they do in the studio.

Wall time hangs on what else the machine does; CPU seconds a commit are told beside it.
"""

from __future__ import annotations

import argparse
import time
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
    for with_old in (False, True):
        for size in options.sizes:
            found = in_fresh_process(run, size, with_old).result
            p50, p95 = np.quantile(found["wall"], [0.5, 0.95])
            what = "with an old tagger" if with_old else "alone"
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


def _sentences() -> tuple[list[list[str]], list[list[str]]]:
    rows = list(tasks.sentences(tasks.data_folder() / "conll2003" / "eng.train.gz"))
    words = [[row[0] for row in sentence] for sentence in rows]
    return words, [tasks._iob2([row[3] for row in sentence]) for sentence in rows]


if __name__ == "__main__":
    main()
