"""Penalties by cross-validation, against scikit-learn's GridSearchCV over sklearn-crfsuite.

Five L2 penalties on five folds of the first sentences of CoNLL-2003: 25 trainings, the same
features, folds and model on both sides, from lists in memory to the score of each point. Ours runs
on two threads, GridSearchCV with two jobs, whose processes have been started before. CPU seconds
are of one thread and one job, as neither counts its start.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any, NamedTuple

import tasks
from common import Targets, in_fresh_process, table

PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0)
FOLDS = 5
SIZES = {100: 1.0, 1000: 12.0}  # sentences, and the seconds that we may take
RATIO = 50
REPEATS = 5


class Comparison(NamedTuple):
    """One size on both sides: medians of wall and CPU seconds, and the scores of the points."""

    size: int
    ours: dict[str, Any]
    theirs: dict[str, Any]

    @property
    def wall_ratio(self) -> float:
        return float(self.theirs["wall"] / self.ours["wall"])

    @property
    def cpu_ratio(self) -> float:
        return float(self.theirs["cpu"] / self.ours["cpu"])

    @property
    def difference(self) -> float:
        """The largest between the scores of a point."""
        pairs = zip(self.ours["scores"], self.theirs["scores"], strict=True)
        return max(abs(a - b) for a, b in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), choices=list(SIZES))
    options = parser.parse_args()
    comparisons = []
    for size in options.sizes:
        ours = in_fresh_process(run_ours, size).result
        comparisons.append(Comparison(size, ours, in_fresh_process(run_theirs, size).result))
    targets = Targets()
    for c in comparisons:
        targets.at_most(f"{c.size} sentences, our seconds", c.ours["wall"], SIZES[c.size])
        targets.at_least(f"{c.size} sentences, ratio of CPU time", c.cpu_ratio, RATIO)
    table(
        f"{len(PENALTIES)} penalties x {FOLDS} folds (seconds)",
        ["sentences", "GridSearchCV", "ours", "ratio", "its CPU", "our CPU", "ratio",
         "best c2", "ours", "scores differ by"],
        [
            [str(c.size), f"{c.theirs['wall']:.2f}", f"{c.ours['wall']:.3f}",
             f"{c.wall_ratio:.1f}", f"{c.theirs['cpu']:.2f}", f"{c.ours['cpu']:.3f}",
             f"{c.cpu_ratio:.1f}", str(c.theirs["best"]), str(c.ours["best"]),
             f"{c.difference:.4f}"]
            for c in comparisons
        ],
    )  # fmt: skip
    worst = min(comparisons, key=lambda c: c.cpu_ratio)
    targets.finish("selection", worst.cpu_ratio, RATIO)


def _data(size: int) -> tuple[list[Any], list[list[str]], list[int]]:
    features, labels = tasks.load("ner")
    return features[:size], labels[:size], [k % FOLDS for k in range(size)]


def run_ours(size: int) -> dict[str, Any]:
    """The search on two threads, and its CPU time on one."""
    from dovetail import Tagger
    from dovetail.compare import grid_search

    features, labels, folds = _data(size)
    grid = {"c2": PENALTIES}

    def search(threads: int) -> Any:
        return grid_search(Tagger(threads=threads), features, grid, labels=labels, folds=folds)

    walls, cpus = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = search(2)
        walls.append(time.perf_counter() - start)
        begun = time.process_time()
        search(1)
        cpus.append(time.process_time() - begun)
    scores = {point.parameters["c2"]: point.score for point in found}
    ordered = [scores[c2] for c2 in PENALTIES]
    best = PENALTIES[ordered.index(max(ordered))]
    return {"wall": median(walls), "cpu": median(cpus), "scores": ordered, "best": best}


def run_theirs(size: int) -> dict[str, Any]:
    """GridSearchCV with two jobs, and its CPU time with one."""
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn_crfsuite import CRF

    features, labels, folds = _data(size)

    def search(jobs: int, penalties: tuple[float, ...] = PENALTIES) -> Any:
        model = CRF(algorithm="lbfgs", c1=0.0)
        grid = {"c2": list(penalties)}
        scorer = make_scorer(span_f1)
        cv = PredefinedSplit(folds)
        return GridSearchCV(model, grid, scoring=scorer, cv=cv, n_jobs=jobs, refit=False).fit(
            features, labels
        )

    search(2, (10.0,))  # starts the processes
    start = time.perf_counter()
    found = search(2)
    wall = time.perf_counter() - start
    begun = time.process_time()
    search(1)
    cpu = time.process_time() - begun
    return {
        "wall": wall,
        "cpu": cpu,
        "scores": found.cv_results_["mean_test_score"].tolist(),
        "best": found.best_params_["c2"],
    }


def span_f1(gold: Any, found: Any) -> float:
    """F1 of entities, the score of ours."""
    from dovetail.evaluate import evaluate

    return evaluate([list(row) for row in gold], [list(row) for row in found]).micro.f1


if __name__ == "__main__":
    main()
