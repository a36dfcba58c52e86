"""Alternating structure optimisation: seven parts, twenty labels, 200,000 tokens: memory and time.

Parts of speech of CoNLL-2000, the twenty most frequent, with the features of `chunking`. Memory is
the peak from before indexing on, in units of the indexed data, which itself counts as one; time is
that of a round on one thread and on all.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

import tasks
from common import Targets, in_fresh_process, peak_mb, table

PARTS, LABELS = 7, 20
MEMORY = 2.0  # times the data, and a weight vector a worker
SHARE = 0.75  # of the ideal speed-up
THREADS = os.cpu_count() or 1
RUNS = 3  # the fastest counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=None, help="fewer, for a quick look")
    given = parser.parse_args()
    targets = Targets()
    found: dict[int, dict[str, Any]] = {}
    for _ in range(RUNS):  # by turns, since these machines have slow and fast minutes
        for n in sorted({1, THREADS}):
            one = in_fresh_process(run, n, given.sentences).result
            found[n] = min(found.get(n, one), one, key=lambda each: each["wall"])
    table(
        f"{PARTS} parts x {LABELS} labels, {found[1]['tokens']:,} tokens, "
        f"{found[1]['features']:,} features",
        ["threads", "s a round", "data MB", "peak MB", "weight vector MB", "times the data"],
        [
            [str(n), f"{r['wall']:.1f}", f"{r['data']:.0f}", f"{r['peak']:.0f}",
             f"{r['vector']:.1f}", f"{_times(r, n):.2f}"]
            for n, r in found.items()
        ],
    )  # fmt: skip
    speedup = found[1]["wall"] / found[THREADS]["wall"]
    targets.at_most("memory over the data", _times(found[THREADS], THREADS), MEMORY)
    targets.at_least(f"speed-up on {THREADS} threads", speedup, SHARE * THREADS)
    targets.finish("aso", speedup, SHARE * THREADS)


def _times(run: dict[str, Any], threads: int) -> float:
    """Memory without a weight vector a worker, in units of the data."""
    return (run["peak"] - run["base"] - threads * run["vector"]) / run["data"]


def run(threads: int, sentences: int | None) -> dict[str, Any]:
    from dovetail.corpus import Column, Corpus, read_conll
    from dovetail.features.sets import chunking
    from dovetail.multitask.alternation import Alternation
    from dovetail.multitask.auxiliary import parts
    from dovetail.multitask.matrix import Matrix, Objective

    path = tasks.data_folder() / "conll2000" / "train.txt.gz"
    read = read_conll(path, columns=["word", "tag", "pos"])[:sentences]
    own = read.column("tag")
    order = np.argsort(-np.bincount(own.codes, minlength=len(own.levels)), kind="stable")
    number = np.full(len(own.levels), LABELS - 1, np.int32)
    number[order[: LABELS - 1]] = np.arange(LABELS - 1)
    tags = Column(number[own.codes], tuple(f"tag{k}" for k in range(LABELS)))
    columns = {"word": read.column("word"), "pos": read.column("pos"), "tag": tags}
    corpus = Corpus(columns, read.bounds)
    base = _resident_mb()
    matrix = Matrix(chunking())
    matrix.add(corpus)
    data = _resident_mb() - base
    start = time.perf_counter()
    alternation = Alternation(
        matrix, parts(corpus, "tag", PARTS), LABELS, Objective(), threads=threads
    )
    alternation.run(1, 0.0)
    return {
        "wall": time.perf_counter() - start,
        "base": base,
        "data": data,
        "peak": peak_mb(),
        "vector": 4e-6 * matrix.n_features,
        "tokens": corpus.n_tokens,
        "features": matrix.n_features,
    }


def _resident_mb() -> float:
    """Memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
