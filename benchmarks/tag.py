"""Tagging against python-crfsuite on one thread: from lists of feature strings to labels."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crfsuite
import ours
import tasks
from common import Run, Targets, best, in_fresh_process, table

TARGET, AGREEMENT = 5, 0.99
TOKENS = 100_000
Sequences = list[tasks.TokenFeatures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=tasks.TASKS, default=list(tasks.TASKS))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    targets, rows, ratios = Targets(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for task in options.tasks:
            runs = measure(task, options.rounds, Path(folder))
            peer, mine = runs["python-crfsuite"], runs["dovetail"]
            for name, run in runs.items():
                agreement = same(peer.result["labels"], run.result["labels"])
                if run is mine:
                    targets.at_least(f"{task}, share of equal labels", agreement, AGREEMENT)
                ratio = peer.result["wall"] / run.result["wall"]
                rows.append(
                    [task, name, f"{run.result['tokens'] / run.result['wall']:,.0f}",
                     f"{run.result['wall']:.3f}", f"{run.result['cpu']:.3f}",
                     f"{run.peak_mb:.0f}", f"{100 * agreement:.2f} %", f"{ratio:.2f}"]
                )  # fmt: skip
            ratios.append(peer.result["wall"] / mine.result["wall"])
            targets.at_least(f"{task}, ratio of tagging", ratios[-1], TARGET)
    table(
        "From lists of feature strings to labels, one thread, best pass (s, MB)",
        ["task", "tagger", "tokens/s", "wall", "CPU", "peak", "same labels", "ratio"],
        rows,
    )
    print("  libwapiti: skipped, its model of all (feature, label) pairs takes too long to train")
    print("  pycrfpp: skipped, it has no trainer, and no other package here makes CRF++ models")
    targets.finish("tag", min(ratios), TARGET)


def measure(task: str, rounds: int, folder: Path) -> dict[str, Run]:
    """Best of alternating runs of each tagger."""
    print(f"measuring {task}", flush=True)
    test, their_model = str(crfsuite.cached_text(task, "test")), str(crfsuite.cached_model(task))
    our_model = str(folder / f"{task}.ours")
    in_fresh_process(ours.fit_text, str(crfsuite.cached_text(task)), our_model, {"c2": 1.0})
    sides: dict[str, tuple[Callable[..., Any], str]] = {
        "python-crfsuite": (run_crfsuite, their_model),
        "chaine": (run_chaine, their_model),
        "dovetail": (run_ours, our_model),
    }
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, (run, model) in sides.items():
            runs[name].append(in_fresh_process(run, model, test))
    return {
        name: best([run._replace(wall=run.result["wall"]) for run in many])
        for name, many in runs.items()
    }


def run_crfsuite(model: str, test: str) -> dict[str, Any]:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    return fastest(lambda sequences: [tagger.tag(x) for x in sequences], read(test))


def run_chaine(model: str, test: str) -> dict[str, Any]:
    """chaine reads CRFsuite's models; its public interface takes features as dicts."""
    from chaine.crf import Model

    dicts = [[dict.fromkeys(token, 1.0) for token in sequence] for sequence in read(test)]
    return fastest(Model(model).predict, dicts)


def run_ours(model: str, test: str) -> dict[str, Any]:
    import dovetail

    return fastest(dovetail.load(model, threads=1).predict, read(test))


def read(test: str) -> Sequences:
    """Feature lists of about `TOKENS` tokens; strings of a repeated sentence are new objects."""
    sequences: Sequences = []
    tokens = 0
    while tokens < TOKENS:
        sequences += [features for features, _ in crfsuite.read_text(test)]
        tokens = sum(map(len, sequences))
    return sequences


def fastest(predict: Callable[[Any], list[list[str]]], sequences: Any) -> dict[str, Any]:
    """Tag everything again and again, three times and for two seconds at least."""
    times: list[tuple[float, float]] = []
    while len(times) < 3 or sum(wall for wall, _ in times) < 2:
        start = time.perf_counter(), time.process_time()
        labels = predict(sequences)
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    wall, cpu = min(times)
    return {"wall": wall, "cpu": cpu, "tokens": sum(map(len, labels)), "labels": labels}


def same(one: list[list[str]], other: list[list[str]]) -> float:
    """Share of tokens with the same label."""
    pairs = [pair for a, b in zip(one, other, strict=True) for pair in zip(a, b, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


if __name__ == "__main__":
    main()
