"""Worker processes killed at random times, again and again: is the model the same to the bit?

Each run trains on the same corpus on disk, from indexing on, by two workers of which one is killed
at a random time, within the time that the run before took; its nanny starts another, and each run
has workers of its own, as nannies give up on one that dies while it starts. Runs that end before
the time do not count. One that hangs is ended after five minutes and counts as a failure.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from common import Targets
from dovetail import Tagger
from dovetail.base.cluster import import_distributed
from dovetail.corpus import Shards
from large import repeat_altered, template

TIMES = 50
TOKENS = 200_000
FIRST = 3.0  # seconds, of which one is drawn for the first run
LIMIT = 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    distributed = import_distributed()
    targets, draw, same = Targets(), random.Random(options.seed), 0
    with tempfile.TemporaryDirectory(prefix="deaths-") as folder:
        expected = fit(Shards.write(Path(folder, "here"), repeat_altered(TOKENS), tokens=20_000))
        whole, killed = FIRST, 0
        while killed < options.times:
            with (
                tempfile.TemporaryDirectory(dir=folder) as place,
                distributed.LocalCluster(
                    n_workers=2, threads_per_worker=1, dashboard_address=":0"
                ) as made,
                distributed.Client(made) as client,
            ):
                shards = Shards.write(place, Shards(Path(folder, "here")), tokens=20_000)
                process = draw.choice(list(made.workers.values())).process
                seconds = draw.uniform(0.0, whole)
                killer = threading.Timer(seconds, kill, (process.pid,))
                begun = time.monotonic()
                killer.start()
                found = within_limit(shards, client)
                whole = time.monotonic() - begun
                killer.cancel()
            if whole < seconds:
                continue
            killed += 1
            same += found == expected
            print(
                f"  {killed}: killed after {seconds:.1f} of {whole:.1f} s, "
                f"{'the same' if found == expected else 'NOT the same'}",
                flush=True,
            )
    targets.at_least("runs with the same bits", same, options.times)
    targets.finish("deaths", same / options.times, 1)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def within_limit(shards: Shards, client: Any) -> bytes | None:
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(fit(shards, client)), daemon=True)
    thread.start()
    thread.join(LIMIT)
    return found[0] if found else None


def fit(shards: Shards, client: Any = None) -> bytes:
    tagger = Tagger(features=template(), c2=1.0, max_iterations=25, threads=1)
    return tagger.fit(shards, label="ner", cluster=client).marginals(shards[0]).tobytes()


if __name__ == "__main__":
    main()
