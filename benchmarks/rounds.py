"""Rounds until the minimum is certified within 0.1 %, over a corpus on disk, way by way.

A round goes through all of the text once; on a cluster each costs a message to all workers and
back. L-BFGS alone, the dual in blocks alone, and both by turns, which is what ``auto`` does; beside
them the dual of the text in memory. The text is that of `large.py`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

from common import Targets, table
from dovetail import Tagger
from dovetail.corpus import Corpus, Shards
from large import repeat_altered, template

TOKENS, PARTS = 200_000, 16
STRENGTHS = (1.0, 0.3)
MOST_ROUNDS = 600
WANTED = 30
WAYS: dict[str, dict[str, Any]] = {
    "by turns": {},
    "L-BFGS": {"memory_limit": 0},
    "dual in blocks": {"method": "dual", "max_iterations": 150},
    "in memory": {},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    options = parser.parse_args()
    rows, rounds = [], []
    with tempfile.TemporaryDirectory(prefix="rounds-") as folder:
        text = repeat_altered(options.tokens)
        shards = Shards.write(f"{folder}/text", text, tokens=options.tokens // PARTS)
        for c2 in STRENGTHS:
            for way, settings in WAYS.items():
                data = Corpus.concatenate(shards) if way == "in memory" else shards
                given = {"max_iterations": MOST_ROUNDS, **settings}
                tagger = Tagger(features=template(), c2=c2, threads=1, min_count=2, **given)
                begun = time.process_time()
                tagger.fit(data, label="ner")
                seconds = time.process_time() - begun
                phases = [progress.phase for progress in tagger.history_]
                counts = [f"{phases.count(name)}" for name in ("sgd", "dual", "l-bfgs")]
                gap = tagger.training_["gap"]
                shown = "none" if gap is None else f"{gap:.5f}"
                rows.append(
                    [f"c2 {c2:g}, {way}", *counts, f"{len(phases)}", shown, f"{seconds:.0f}"]
                )
                if way == "by turns":
                    rounds.append(len(phases))
    table(
        f"{shards.n_tokens:,} tokens in {len(shards)} parts: rounds",
        ["way", "sgd", "dual", "L-BFGS", "all", "gap", "CPU s, with the index"],
        rows,
    )
    targets = Targets()
    targets.at_most("rounds by turns", max(rounds), WANTED)
    targets.finish("rounds", WANTED / max(rounds), 1)


if __name__ == "__main__":
    main()
