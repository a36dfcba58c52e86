"""Workers of a Dask cluster on this machine: training, EM and tagging beside one process.

The text is that of `large.py`; it is tagged as `dovetail tag --out` does, from Parquet to Parquet.
One process on one thread does all of it; then one worker, and two workers, of one thread each.
Targets are held against the wall clock, so they want an idle machine with a core for each worker.
Beside it stands the critical path: the CPU time of the worker that had most to do, and that of the
driver, as if nothing that the driver does could be done meanwhile.

Beside training stands the naive way: SciPy's L-BFGS, the weights in the graph, a task a gradient
wherever Dask puts it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from common import Targets, table
from dovetail import Tagger
from dovetail.base.cluster import Cluster, open_cluster
from dovetail.base.executor import Executor, Here, Multiples
from dovetail.chain.train.shards.objective import evaluate_part
from dovetail.cli.answers import Request
from dovetail.cli.inputs import Source
from dovetail.cli.tag import CHUNK_SIZE
from dovetail.cli.tagged_folder import PARQUET, SHOWN_IN_PARQUET, Order, TaggedFolder, find_pieces
from dovetail.corpus import Shards
from dovetail.corpus.parquet import write_parquet
from dovetail.corpus.shards import INDEX
from dovetail.representation import HMM
from large import repeat_altered, template

TOKENS = 10_000_000
PARTS = 16
PLAIN = Request(SHOWN_IN_PARQUET, False, None, None, False, False)  # labels alone
TRAINING, EM, TAGGING = 1.6, 1.7, 1.8  # times one process, with two workers
OVERHEAD = 1.15  # times one process, with one worker
ITERATIONS, ROUNDS, STATES = 20, 3, 40

WORKERS = {"one": 1, "two": 2}
MEASURED = ("here", *WORKERS)

Spent = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--folder", help="for the text and its index, which are used again")
    parser.add_argument("--prepare", action="store_true", help="make these, and nothing else")
    parser.add_argument(
        "--only", choices=MEASURED, help="measure this, and keep it in the folder for a later table"
    )
    options = parser.parse_args()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="cluster-"))
    targets = Targets()
    try:
        shards = prepare(folder / "text", options.tokens)
        if options.prepare:
            return
        found = {name: measured(name, shards, folder, options.only) for name in MEASURED}
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    if options.only:
        return
    alone = found["here"]
    rows = []
    for job, goal in (("training", TRAINING), ("EM", EM), ("tagging", TAGGING)):
        here, one, two = alone[job], found["one"][job], found["two"][job]
        rows.append(
            [
                job,
                *(f"{run['wall']:.1f} / {run['path']:.1f}" for run in (here, one, two)),
                f"{one['wall'] / here['wall']:.2f}",
                f"{here['wall'] / two['wall']:.2f}",
            ]
        )
        targets.at_most(
            f"{job}, one worker beside one process", one["wall"] / here["wall"], OVERHEAD
        )
        targets.at_least(f"{job}, two workers", here["wall"] / two["wall"], goal)
    table(
        f"{shards.n_tokens:,} tokens in {len(shards)} parts: wall / critical path (s)",
        ["job", "one process", "1 worker", "2 workers", "1 worker, times", "speed-up by 2"],
        rows,
    )
    for job in alone:
        here, two = alone[job]["path"], found["two"][job]["path"]
        print(f"  {job}, by the critical path: {here / two:.2f} times one process")
    naive, ours = found["two"]["naive"], found["two"]["training"]
    print(
        f"  naive L-BFGS on 2 workers: {naive['rounds']:.0f} evaluations in {naive['wall']:.1f} s, "
        f"{naive['wall'] / naive['rounds']:.2f} s each; here {ours['rounds']:.0f} in "
        f"{ours['wall']:.1f} s, {ours['wall'] / ours['rounds']:.2f} s each"
    )
    speedup = alone["training"]["wall"] / found["two"]["training"]["wall"]
    targets.finish("cluster", speedup, TRAINING)


def measured(name: str, shards: Shards, folder: Path, only: str | None) -> dict[str, Spent]:
    """What was measured before, or else now."""
    kept = folder / f"{name}.json"
    if only not in (None, name):
        return {}
    if only is None and kept.exists():
        return dict(json.loads(kept.read_text()))
    found = measure(shards, Here(1), None) if name == "here" else on_workers(shards, WORKERS[name])
    kept.write_text(json.dumps(found))
    return found


def prepare(folder: Path, tokens: int) -> Shards:
    """The text and all that trainings on it use, made once."""
    there = (folder / INDEX).exists()
    shards = (
        Shards(folder)
        if there
        else Shards.write(folder, repeat_altered(tokens), tokens=tokens // PARTS)
    )
    make_tagger().set_params(max_iterations=1).fit(shards, label="ner")
    HMM(2, start="random", rounds=1).fit(shards)
    for number, part in enumerate(shards):
        file = folder.parent / f"part-{number:02d}.parquet"
        if not file.exists():
            write_parquet(part, file)
    return shards


def make_tagger() -> Tagger:
    return Tagger(
        features=template(), c2=1.0, method="lbfgs", max_iterations=ITERATIONS, threads=1,
        min_count=2, memory_limit=0,
    )  # fmt: skip


def on_workers(shards: Shards, number: int) -> dict[str, Spent]:
    with open_cluster(f"local:{number}") as client:
        found = measure(shards, Cluster(client), client)
        if number == 2:
            found["naive"] = train_naively(shards, client)
        return found


def measure(shards: Shards, executor: Executor, client: Any) -> dict[str, Spent]:
    """Wall time and critical path of each job, once all files have been read and checked."""
    tagger = make_tagger()
    cluster = client and executor
    tagger.clone().set_params(max_iterations=1).fit(shards, label="ner", cluster=cluster)
    HMM(2, start="random", rounds=1).fit(shards, cluster=cluster)
    spent = {
        "training": spend(client, lambda: tagger.fit(shards, label="ner", cluster=cluster)),
        "EM": spend(
            client,
            lambda: HMM(STATES, start="random", rounds=ROUNDS, threads=1).fit(
                shards, cluster=cluster
            ),
        ),
    }
    spent["training"]["rounds"] = tagger.training_["evaluations"]
    with tempfile.TemporaryDirectory(dir=shards.folder.parent) as folder:
        model = f"{folder}/model.dovetail"
        tagger.save(model)
        order = Order(model, PLAIN, PARQUET, CHUNK_SIZE)
        files = sorted(str(file) for file in shards.folder.parent.glob("*.parquet"))
        pieces = find_pieces([Source(file, PARQUET) for file in files], f"{folder}/out", PARQUET)
        tagged = TaggedFolder(f"{folder}/out", order, pieces)
        spent["tagging"] = spend(client, lambda: tagged.fill(lambda _: None, executor))
    return spent


def spend(client: Any, work: Callable[[], Any]) -> Spent:
    before = worker_times(client)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    most = max((after - before[w] for w, after in worker_times(client).items()), default=0.0)
    return {"wall": wall, "path": cpu + most}


def worker_times(client: Any) -> dict[str, float]:
    return dict(client.run(time.process_time)) if client else {}


def train_naively(shards: Shards, client: Any) -> Spent:
    """SciPy's L-BFGS over the same parts, for as many iterations."""
    from dovetail.chain.train.shards.fitting import open_training

    with open_training(make_tagger(), shards, "ner", None) as fitting:
        folder, numbers = fitting.folder, list(range(len(shards)))
        unit = Multiples(sum(reach.gradient for reach in fitting.reaches))
        evaluations = 0

        def objective(w: np.ndarray[Any, Any]) -> tuple[float, np.ndarray[Any, Any]]:
            nonlocal evaluations
            evaluations += 1
            futures = [
                client.submit(evaluate_alone, k, w, folder, unit.exponent, pure=False)
                for k in numbers
            ]
            value, gradient = float(w @ w), 2.0 * w
            for own_value, own in client.gather(futures):
                value += own_value
                gradient += unit.to_real(own)
            return value, gradient

        start = time.perf_counter()
        first = np.zeros(fitting.problem.n_parameters)
        minimize(
            objective, first, jac=True, method="L-BFGS-B",
            options={"maxiter": ITERATIONS, "maxcor": 8},
        )  # fmt: skip
    return {"wall": time.perf_counter() - start, "rounds": evaluations}


def evaluate_alone(number: int, w: Any, folder: str, exponent: int) -> tuple[float, Any]:
    """The loss of a part and its gradient, as they would be of a text of its own."""
    sums = np.zeros(len(w), np.int64)
    return evaluate_part(number, [sums], w, folder, exponent, 1, "single"), sums


if __name__ == "__main__":
    main()
