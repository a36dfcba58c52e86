"""Worker processes killed at random times, again and again: is the model the same to the bit?

Each run trains on the same corpus on disk, from indexing on, by two workers of which one is killed
at a random time; its nanny starts another. A run that hangs is ended after five minutes and counts
as a failure.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
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
LIMIT = 300.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=TIMES)
    options = parser.parse_args()
    distributed = import_distributed()
    targets, draw, same = Targets(), random.Random(0), 0
    with tempfile.TemporaryDirectory(prefix="deaths-") as folder:
        expected = fit(Shards.write(Path(folder, "here"), repeat_altered(TOKENS), tokens=20_000))
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=":0"
            ) as made,
            distributed.Client(made) as client,
        ):
            for time in range(options.times):
                client.wait_for_workers(2, timeout=LIMIT)
                place = Path(folder, f"text-{time}")
                shards = Shards.write(place, Shards(Path(folder, "here")), tokens=20_000)
                process = draw.choice(list(made.workers.values())).process
                seconds = draw.uniform(0.0, 20.0)
                killer = threading.Timer(seconds, kill, (process.pid,))
                killer.start()
                found = within_limit(shards, client)
                killer.cancel()
                same += found == expected
                print(
                    f"  {time + 1}: killed after {seconds:.1f} s, {found == expected}", flush=True
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
