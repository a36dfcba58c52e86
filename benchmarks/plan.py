"""What a round of training costs on a cluster, and from that the time for text of any size.

    seconds a round = a tokens / workers + d bytes back + bytes back / bandwidth
                      + bytes out log2(1 + workers) / bandwidth + o + p workers

`a`, the cost of a token, is measured in one process; the driver's and the workers' own costs (`d` a
byte of gradients, `o` a round, `p` a worker) are fitted to CPU times of 1 and 2 workers on parts of
two sizes, and checked on a third text. CPU times of waiting processes are among them: on a busy
machine they come out too high.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from common import Targets, table
from dovetail import Tagger
from dovetail.base.cluster import Cluster, import_distributed
from dovetail.chain.train.shards.fitting import open_training
from dovetail.corpus import Shards
from large import repeat_altered, template

FITTED = ((1_000_000, 62_500), (1_000_000, 250_000))  # tokens, and those of a part
CHECKED = (2_000_000, 250_000)
ROUNDS = 6
WITHIN = 0.3  # of the measured time
BIG, PART = 1_000_000_000, 5_000_000
GROWTH = 0.53  # weights grow as tokens to this power, by this text
EVALUATIONS = 150


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="plan-") as folder:
        runs = [run for size in FITTED for run in measure(Path(folder), *size)]
        checks = measure(Path(folder), *CHECKED)
    a = float(np.median([run["here"] / run["tokens"] for run in runs]))
    costs, _ = nnls(
        np.array([[run["back"], 1.0, run["workers"]] for run in runs]),
        np.array([run["path"] - a * run["tokens"] / run["workers"] for run in runs]),
    )

    def predict(run: dict[str, Any]) -> float:
        own = np.array([run["back"], 1.0, run["workers"]])
        return float(a * run["tokens"] / run["workers"] + own @ costs)

    rows = [
        [f"{run['tokens']:,}", f"{run['parts']}", f"{run['workers']}", f"{run['back'] / 1e6:.1f}",
         f"{run['path']:.3f}", f"{predict(run):.3f}", what]
        for what, group in (("fitted", runs), ("checked", checks))
        for run in group
    ]  # fmt: skip
    table(
        "CPU seconds a round on the critical path",
        ["tokens", "parts", "workers", "MB back", "measured", "model", ""],
        rows,
    )
    d, o, p = costs
    print(f"  a {a * 1e9:.0f} ns a token, d {d * 1e9:.1f} ns a byte, o {o:.3f} s, p {p:.3f} s")
    show_plan(a, costs, runs[0])
    worst = max(abs(predict(run) / run["path"] - 1) for run in checks)
    targets = Targets()
    targets.at_most("error of the model on a third text", worst, WITHIN)
    targets.finish("plan", 1 - worst, 1 - WITHIN)


def show_plan(a: float, costs: Any, run: dict[str, Any]) -> None:
    """Predictions for large text."""
    back = 8 * run["own"] * (PART / run["size"]) ** GROWTH * BIG / PART
    out = 8 * run["weights"] * (BIG / run["tokens"]) ** GROWTH
    rows = []
    for gigabits in (1, 10):
        rate = gigabits * 1e9 / 8
        for workers in (1, 8, 32, 128):
            compute, driver = a * BIG / workers, costs[0] * back + costs[1] + costs[2] * workers
            network = (back + out * math.log2(1 + workers)) / rate
            one = compute + driver + network
            rows.append(
                [f"{gigabits}", f"{workers}", f"{compute:.1f}", f"{driver:.1f}", f"{network:.1f}",
                 f"{one:.0f}", f"{one * EVALUATIONS / 3600:.1f}"]
            )  # fmt: skip
    table(
        f"{BIG:,} tokens in parts of {PART:,}: {out / 8e6:.0f} million weights, "
        f"{back / 1e9:.1f} GB back a round; seconds a round",
        ["Gbit/s", "workers", "workers' time", "driver", "network", "round",
         f"hours for {EVALUATIONS}"],
        rows,
    )  # fmt: skip


def measure(folder: Path, tokens: int, size: int) -> list[dict[str, Any]]:
    distributed = import_distributed()
    shards = Shards.write(folder / f"{tokens}-{size}", repeat_altered(tokens), tokens=size)
    tagger = Tagger(features=template(), c2=1.0, threads=1, min_count=2)
    found = []
    with open_training(tagger, shards, "ner", None) as fitting:
        objective = fitting.objective()
        w = np.random.default_rng(0).normal(size=objective.size) * 0.01
        objective(w)
        here = time.process_time()
        for _ in range(ROUNDS):
            objective(w)
        here = (time.process_time() - here) / ROUNDS
        own = [len(objective.place(part)) for part in range(len(shards))]
        facts = {
            "tokens": shards.n_tokens, "parts": len(shards), "size": size, "here": here,
            "own": float(np.mean(own)), "back": 8 * sum(own), "weights": objective.size,
        }  # fmt: skip
        for workers in (1, 2):
            with (
                distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=":0"
                ) as made,
                distributed.Client(made) as client,
            ):
                objective.executor = Cluster(client)
                objective(w)
                before, driver = client.run(time.process_time), time.process_time()
                for _ in range(ROUNDS):
                    objective(w)
                driver = time.process_time() - driver
                after = client.run(time.process_time)
                path = driver + max(after[k] - before[k] for k in after)
                found.append({**facts, "workers": workers, "path": path / ROUNDS})
    return found


if __name__ == "__main__":
    main()
