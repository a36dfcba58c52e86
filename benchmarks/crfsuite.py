"""The main peer: python-crfsuite trained as its users train it, its log and its model file."""

from __future__ import annotations

import hashlib
import itertools
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tasks
from common import HERE, Run, in_fresh_process

CACHE = HERE / ".cache"


def read_text(path: str) -> Iterator[tuple[tasks.TokenFeatures, list[str]]]:
    """Sequences of a file in CRFsuite's text format, as a short script would read them."""
    features: tasks.TokenFeatures = []
    labels: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line == "\n":
                yield features, labels
                features, labels = [], []
                continue
            if "\\" in line:
                line = line.replace("\\:", ":").replace("\\\\", "\\")
            label, *token = line.rstrip("\n").split("\t")
            labels.append(label)
            features.append(token)


def train_text(text: str, model: str, settings: dict[str, Any]) -> dict[str, Any]:
    """From feature text to a saved model; what the log said, with wall and CPU time at each line.

    Times count from the call of ``train``, so they include CRFsuite's feature generation, as ours
    include laying out the weights.
    """
    import pycrfsuite

    class Trainer(pycrfsuite.Trainer):  # type: ignore[misc]
        clock: list[tuple[float, float]]

        def message(self, message: str) -> None:
            if self.logparser.feed(message) in ("prepared", "iteration"):
                self.clock.append((time.perf_counter(), time.process_time()))

    trainer = Trainer(algorithm="lbfgs", params=settings, verbose=False)
    for features, labels in read_text(text):
        trainer.append(features, labels)
    start = time.perf_counter(), time.process_time()
    trainer.clock = []
    trainer.train(model)
    _prepared, *clock = trainer.clock
    log = trainer.logparser
    return {
        "iterations": [
            {
                "loss": iteration["loss"],
                "trials": iteration["linesearch_trials"],
                "wall": wall - start[0],
                "cpu": cpu - start[1],
            }
            for iteration, (wall, cpu) in zip(log.iterations, clock, strict=True)
        ],
        "n_weights": log.featgen_num_features,
    }


def seconds_an_evaluation(log: dict[str, Any]) -> tuple[float, float]:
    """Least wall and CPU seconds of one function-and-gradient evaluation, by the iterations."""
    iterations = log["iterations"]
    pairs = list(itertools.pairwise(iterations))
    return (
        min((b["wall"] - a["wall"]) / b["trials"] for a, b in pairs),
        min((b["cpu"] - a["cpu"]) / b["trials"] for a, b in pairs),
    )


def reach(log: dict[str, Any], share: float) -> dict[str, Any]:
    """The first iteration within ``share`` of the final objective, with its evaluations so far."""
    iterations = log["iterations"]
    evaluations = 1  # one at the start, before the first line search
    for iteration in iterations:
        evaluations += iteration["trials"]
        if iteration["loss"] <= iterations[-1]["loss"] * (1 + share):
            return {**iteration, "evaluations": evaluations}
    raise AssertionError("the last iteration is within any share of itself")


def weights(model: str) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Weights of (attribute, label) and (label, label) in full precision, from a model file."""
    data = Path(model).read_bytes()
    header = struct.unpack_from("<4sI4s9I", data)
    features, labels, attributes = header[7], _names(data, header[8]), _names(data, header[9])
    (count,) = struct.unpack_from("<I", data, features + 8)
    state: dict[tuple[str, str], float] = {}
    transition: dict[tuple[str, str], float] = {}
    for k in range(count):
        kind, source, target, weight = struct.unpack_from("<IIId", data, features + 12 + 20 * k)
        if kind == 0:
            state[attributes[source], labels[target]] = weight
        else:
            transition[labels[source], labels[target]] = weight
    return state, transition


def _names(data: bytes, base: int) -> list[str]:
    """Strings of one of the file's constant databases (CQDB), by number."""
    size, offset = struct.unpack_from("<2I", data, base + 16)
    names = []
    for k in range(size):
        (record,) = struct.unpack_from("<I", data, base + offset + 4 * k)
        _, length = struct.unpack_from("<2I", data, base + record)
        names.append(data[base + record + 8 : base + record + 7 + length].decode())
    return names


def cached_text(task: str, part: str = "train") -> Path:
    """A task's features in CRFsuite's text format, made once."""
    path = CACHE / f"{task}-{part}-{_version()}.txt"
    if not path.exists():
        in_fresh_process(_write_text, task, part, str(path))
    return path


def cached_model(task: str) -> Path:
    """A task's model, of the last training or of one made now."""
    path = CACHE / f"{task}-{_version()}.crfsuite"
    if not path.exists():
        print(f"training python-crfsuite's model for {task}, once", flush=True)
        train(task)
    return path


def train(task: str) -> Run:
    """Train a task with c2 = 1 to CRFsuite's own stop (a minute or two), and keep the model."""
    path = CACHE / f"{task}-{_version()}.crfsuite"
    unfinished = path.with_suffix(".unfinished")
    run = in_fresh_process(train_text, str(cached_text(task)), str(unfinished), {"c2": 1.0})
    unfinished.rename(path)
    return run


def _version() -> str:
    return hashlib.sha256((HERE / "tasks.py").read_bytes()).hexdigest()[:12]


def _write_text(task: str, part: str, path: str) -> None:
    CACHE.mkdir(exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n", encoding="utf-8")
    unfinished = Path(path).with_suffix(".unfinished")
    tasks.write_crfsuite_text(task, unfinished, part)
    unfinished.rename(path)


def first_sequences(text: Path, count: int, path: Path) -> Path:
    """The first sequences of a text in CRFsuite's format, as a text of their own."""
    parts = text.read_text(encoding="utf-8").split("\n\n", count)
    path.write_text("\n\n".join([*parts[:count], ""]), encoding="utf-8")
    return path
