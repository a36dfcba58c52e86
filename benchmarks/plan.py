"""What a round of training costs on a cluster, and from that the time for text of any size.

    seconds a round = a tokens / workers + b weights + d bytes + o + p workers
                      + (bytes back + bytes out log2(1 + workers)) / bandwidth

`a`, the cost of a token, and `b`, what the driver does for a weight (L-BFGS, sums), are measured in
one process. What Dask costs (`d` a byte out or back, `o` a round, `p` a worker) is fitted to the
rounds of 1 and 2 workers on this machine, on two texts, and checked on a third. All is wall time,
which wants an idle machine with two cores; or CPU time, that of the driver and of the worker that
has most to do, which leaves out what waiting costs. *Bytes out* are 4 for each weight, *bytes back*
8 for each weight that a worker's parts have, and a bit for each of all.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from common import Targets, table
from dovetail import Tagger, _native
from dovetail.base.cluster import Cluster, import_distributed
from dovetail.base.executor import Here
from dovetail.chain.train.lbfgs import MEMORY, lbfgs
from dovetail.chain.train.shards.fitting import open_training
from dovetail.chain.train.shards.objective import ShardObjective
from dovetail.chain.train.shards.prepared import PARTS
from dovetail.corpus import Shards
from large import repeat_altered, template

TOKENS = 2_000_000  # of the text that the model is checked on
FITTED = (4, 2)  # of it a fourth and a half: texts that the model is fitted to
AT_LEAST = 8  # parts
ROUNDS = 10
WITHIN = 0.3  # of the measured time
BIG, PART = 1_000_000_000, 5_000_000
EVALUATIONS = 150

Run = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", action="store_true", help="CPU times, for a busy machine")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of the third text")
    options = parser.parse_args()
    by_cpu, tokens = options.cpu, options.tokens
    with tempfile.TemporaryDirectory(prefix="plan-") as folder:
        runs = [run for part in FITTED for run in measure(Path(folder), tokens // part, by_cpu)]
        checks = measure(Path(folder), tokens, by_cpu)
    every = [*runs, *checks]
    a = float(np.median([run["token"] for run in every]))
    b = float(np.median([run["weight"] for run in every]))

    def alone(run: Run) -> float:
        return float(a * run["tokens"] / run["workers"] + b * run["weights"])

    costs, _ = nnls(
        np.array([[run["bytes"], 1.0, run["workers"]] for run in runs]),
        np.array([run["wall"] - alone(run) for run in runs]),
    )

    def predict(run: Run) -> float:
        return alone(run) + float(np.array([run["bytes"], 1.0, run["workers"]]) @ costs)

    rows = [
        [f"{run['tokens']:,}", f"{run['weights']:,}", f"{run['workers']}",
         f"{run['bytes'] / 1e6:.1f}", f"{run['here']:.3f}", f"{run['wall']:.3f}",
         f"{predict(run):.3f}", what]
        for what, group in (("fitted", runs), ("checked", checks))
        for run in group
    ]  # fmt: skip
    table(
        "Seconds a round (an evaluation, and the step of L-BFGS)",
        ["tokens", "weights", "workers", "MB out, back", "one process", "measured", "model", ""],
        rows,
    )
    d, o, p = costs
    print(
        f"  a {a * 1e9:.0f} ns a token, b {b * 1e9:.0f} ns a weight, d {d * 1e9:.1f} ns a byte, "
        f"o {o * 1e3:.0f} ms, p {p * 1e3:.0f} ms"
    )
    show_plan(a, b, costs, every)
    worst = max(abs(predict(run) / run["wall"] - 1) for run in checks)
    targets = Targets()
    targets.at_most("error of the model on a third text", worst, WITHIN)
    targets.finish("plan", 1 - worst, 1 - WITHIN)


def show_plan(a: float, b: float, costs: Any, runs: Sequence[Run]) -> None:
    """Predictions for large text, whose weights grow as those of the measured texts do."""
    small, large = runs[0], runs[-1]
    growth = math.log(large["weights"] / small["weights"])
    growth /= math.log(large["tokens"] / small["tokens"])

    def weights(tokens: float) -> float:
        return float(large["weights"] * (tokens / large["tokens"]) ** growth)

    rows = []
    out = 4 * weights(BIG)
    for gigabits in (1, 10):
        rate = gigabits * 1e9 / 8
        for workers in (1, 8, 32, 128):
            own = BIG / workers
            back = workers * (8 * weights(max(own, PART)) + weights(BIG) / 8)
            compute = a * own
            driver = b * weights(BIG) + float(costs @ [out + back, 1.0, workers])
            network = (back + out * math.log2(1 + workers)) / rate
            one = compute + driver + network
            rows.append(
                [f"{gigabits}", f"{workers}", f"{back / 1e9:.2f}", f"{compute:.1f}",
                 f"{driver:.1f}", f"{network:.1f}", f"{one:.1f}", f"{one * EVALUATIONS / 3600:.1f}"]
            )  # fmt: skip
    table(
        f"{BIG:,} tokens: {weights(BIG) / 1e6:.0f} million weights (text to the power "
        f"{growth:.2f}); seconds a round",
        ["Gbit/s", "workers", "GB back", "workers' time", "driver", "network", "round",
         f"hours for {EVALUATIONS}"],
        rows,
    )  # fmt: skip
    rest = b * weights(BIG)
    print(f"  one process: {a * BIG + rest:.0f} s a round")


def measure(folder: Path, tokens: int, by_cpu: bool) -> list[Run]:
    distributed = import_distributed()
    shards = Shards.write(folder / f"{tokens}", repeat_altered(tokens), tokens=tokens // AT_LEAST)
    tagger = Tagger(features=template(), c2=1.0, threads=1, min_count=2)
    found = []
    with open_training(tagger, shards, "ner", None) as fitting:
        objective = fitting.objective()
        places = [PARTS.get(fitting.folder, k).place for k in range(len(shards))]
        here = time_round(objective, None, by_cpu)
        objective.executor = Idle(1)
        weight = time_driver(objective, by_cpu) / objective.size
        facts = {
            "tokens": shards.n_tokens, "weights": objective.size, "here": here, "weight": weight,
            "token": (here - weight * objective.size) / shards.n_tokens,
        }  # fmt: skip
        for workers in (1, 2):
            with (
                distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=":0"
                ) as made,
                distributed.Client(made) as client,
            ):
                objective.executor = Cluster(client)
                shares = np.array_split(np.arange(len(places)), workers)
                met = [len(np.unique(np.concatenate([places[k] for k in own]))) for own in shares]
                moved = 4 * objective.size + sum(8 * n + objective.size / 8 for n in met)
                wall = time_round(objective, client, by_cpu)
                found.append({**facts, "workers": workers, "bytes": moved, "wall": wall})
    return found


class Idle(Here):
    """Does nothing, so that what is left is the driver's own work."""

    def add_up(self, _: str, __: Callable[..., Any], parts: Sequence[int], *___: Any) -> list[Any]:
        return [0.0] * len(parts)


def look(client: Any, by_cpu: bool) -> npt.NDArray[np.float64]:
    """The clock of the driver, and of each worker."""
    if not by_cpu:
        return np.array([time.perf_counter(), 0.0])
    workers = client.run(time.process_time) if client else {"": 0.0}
    return np.array([time.process_time(), *(workers[name] for name in sorted(workers))])


def time_round(objective: ShardObjective, client: Any, by_cpu: bool) -> float:
    """Seconds a round of L-BFGS, a step and an evaluation, when its memory is full."""
    start = np.random.default_rng(0).normal(size=objective.size) * 0.01
    begun, before = np.zeros(1), 0
    for number, step in enumerate(lbfgs(objective, start, tolerance=0.0)):
        if number == MEMORY:
            begun, before = look(client, by_cpu), objective.evaluations
        if step.finished or number >= MEMORY + ROUNDS:
            break
    driver, *workers = look(client, by_cpu) - begun
    return float(driver + max(workers)) / (objective.evaluations - before)


def time_driver(objective: ShardObjective, by_cpu: bool) -> float:
    """Seconds of a round that no part takes: the sums, and a step of L-BFGS."""
    draw = np.random.default_rng(0)
    w, step = draw.normal(size=(2, objective.size))
    change, direction = 1.5 * step, np.empty_like(w)
    history = _native.LbfgsHistory(objective.size, MEMORY)
    for _ in range(MEMORY):
        history.push(step, change)
    start = look(None, by_cpu)
    for _ in range(ROUNDS):
        _, gradient = objective(w)
        history.direction(gradient, np.empty(0), direction)
        found = w + direction
        history.push(found - w, gradient - change)
        history.push(step, change)
        assert np.isfinite(np.sum(gradient * gradient) + np.sum(direction * gradient))
    return float(np.sum(look(None, by_cpu) - start)) / ROUNDS


if __name__ == "__main__":
    main()
