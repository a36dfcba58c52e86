"""Jobs that write files, and what has to be true of these files whenever a job has ended."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dovetail
from dovetail import HMM, Tagger, demo
from dovetail.base import training
from dovetail.compare import Plan, Store, run
from dovetail.compare.plan import Cell
from dovetail.corpus import Corpus

UNTIMED = ("seconds", "date")


class BrokenPromiseError(Exception):
    """A file is neither the old nor the new one, or a training ends with another model."""


def facts_and_arrays(content: bytes) -> tuple[Any, bytes]:
    """A model file without the times in it."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__")
    facts = json.loads(metadata["facts"])
    for name in UNTIMED:
        facts["training"].pop(name, None)
    return [facts, metadata["checksums"], header], content[8 + length :]


def require(condition: bool, what: str) -> None:
    if not condition:
        raise BrokenPromiseError(what)


def corpus(n: int = 12) -> Corpus:
    return dovetail.read(demo.path("train.conll"))[:n]


@dataclass
class Save:
    """One model after another under the same name."""

    name = "save"
    folder: Path
    contents: list[bytes] = field(default_factory=list)

    def prepare(self) -> None:
        data = corpus()
        self.models = [Tagger(c2=c2, threads=1).fit(data) for c2 in (0.1, 1.0)]
        self.contents = [model.to_bytes() for model in self.models]
        self.models[0].save(self.folder / "model")

    def work(self) -> None:
        for k in range(10):
            self.models[k % 2].save(self.folder / "model")

    def check(self) -> None:
        found = (self.folder / "model").read_bytes()
        require(found in self.contents, "the model is neither the old nor the new one")

    def finish(self) -> None:
        self.models[1].save(self.folder / "model")
        require((self.folder / "model").read_bytes() == self.contents[1], "not saved")


@dataclass
class Checkpoint:
    """A training with a checkpoint after each round."""

    name = "checkpoint"
    folder: Path
    method: Any = "auto"

    def _tagger(self) -> Tagger:
        return Tagger(method=self.method, c2=0.2, threads=1)

    def prepare(self) -> None:
        self.data = corpus()
        self.expected = facts_and_arrays(self._tagger().fit(self.data).to_bytes())

    def work(self) -> None:
        training.CHECKPOINT_SECONDS = 0.0
        made = self._tagger().fit(self.data, checkpoint=self.folder / "model")
        require(facts_and_arrays(made.to_bytes()) == self.expected, "another model")

    def check(self) -> None:
        if (self.folder / "model").exists():
            dovetail.load(self.folder / "model", verify=True).predict([["Ada"]])

    def finish(self) -> None:
        path = self.folder / "model"
        training.CHECKPOINT_SECONDS = 3600.0
        goes_on = path.exists() and "resume" in dovetail.load(path).model_.facts
        resume = path if goes_on else None
        made = self._tagger().fit(self.data, checkpoint=path, resume=resume)
        require(facts_and_arrays(made.to_bytes()) == self.expected, "resumed to another model")
        path.unlink()


@dataclass
class Represent:
    """EM with a checkpoint after each round."""

    name = "represent"
    folder: Path

    def _hmm(self) -> HMM:
        return HMM(6, rounds=8, min_count=1, tolerance=0.0, threads=1)

    def prepare(self) -> None:
        self.data = corpus()
        self.expected = self._hmm().fit(self.data).to_bytes()

    def work(self) -> None:
        training.CHECKPOINT_SECONDS = 0.0
        made = self._hmm().fit(self.data, checkpoint=self.folder / "hmm")
        require(made.to_bytes() == self.expected, "another model")

    def check(self) -> None:
        if (self.folder / "hmm").exists():
            dovetail.load(self.folder / "hmm", verify=True)

    def finish(self) -> None:
        path = self.folder / "hmm"
        training.CHECKPOINT_SECONDS = 3600.0
        ended = path.exists() and dovetail.load(path).rounds_ == 8
        if not ended:
            resume = path if path.exists() else None
            made = self._hmm().fit(self.data, checkpoint=path, resume=resume)
            require(made.to_bytes() == self.expected, "resumed to another model")
        path.unlink()


@dataclass
class Compare:
    """Results that are kept cell by cell, one or two cells at a time."""

    folder: Path
    at_once: int = 1

    @property
    def name(self) -> str:
        return "compare" if self.at_once == 1 else "tune"

    def prepare(self) -> None:
        self.plan = Plan(systems=("one", "two"), sizes=(10, 20), n_splits=5)

    @staticmethod
    def _result(cell: Cell) -> Mapping[str, Any]:
        value = (cell.split * 7 + cell.size) % 13 / 13
        scores = {"precision": value, "recall": value, "f1": value}
        return {"overall": scores, "types": {}, "n_train": cell.size, "n_test": 5}

    def _store(self) -> Store:
        return Store(self.folder / "results.jsonl", "same")

    def work(self) -> None:
        run(self.plan, self._result, self._store(), at_once=self.at_once)

    def check(self) -> None:
        store = self._store()
        for cell in self.plan.cells:
            found = store.get(cell)
            same = found is None or found["overall"] == self._result(cell)["overall"]
            require(same, f"another result of {cell.id}")

    def finish(self) -> None:
        found = run(self.plan, self._result, self._store(), at_once=self.at_once)
        for cell, result in zip(self.plan.cells, found, strict=True):
            require(result["overall"] == self._result(cell)["overall"], "another result")
        os.unlink(self.folder / "results.jsonl")


def all_jobs(folder: Path) -> list[Any]:
    """A job of each kind, in folders of their own, prepared."""
    jobs: list[Any] = []
    for make in (Save, Checkpoint, Represent, Compare, lambda at: Compare(at, at_once=2)):
        own = folder / str(len(jobs))
        own.mkdir()
        jobs.append(make(own))
        jobs[-1].prepare()
    return jobs
