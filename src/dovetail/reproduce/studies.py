"""The studies of the seminar announcements: which systems, on which splits, at which sizes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from dovetail import __version__
from dovetail.compare import Cell, Plan, Progress, Store, fingerprint, run
from dovetail.compare.plan import Result
from dovetail.pipeline.auto import METHOD
from dovetail.pipeline.extraction import EAGERNESS, USUAL
from dovetail.reproduce import best, transfer
from dovetail.reproduce.lower import Say
from dovetail.reproduce.material import Material

CURVE = (10, 20, 40, 80, 160)
ORIGINAL: tuple[str, ...] = ("none", "cascade", "joint")  # the systems of the paper
FAST = (*ORIGINAL, "pool")
STUDIES = {
    "paper": "the paper's features and prior, random halves",
    "best": "our features and rules, random halves",
    "others": "other ways of transfer, with the paper's features and prior",
    "curve": "the paper's features and prior with less training data",
    "best curve": "our features and rules with less training data",
    "copies": "the paper's features and prior, near-copies of a mail in the same half",
    "tuned": "the paper's features, the prior chosen on each training half",
    "best copies": "our features and rules, near-copies of a mail in the same half",
}
FEWER_SPLITS = {"others": 5, "curve": 5, "best curve": 5, "copies": 3, "tuned": 3, "best copies": 3}


@dataclass(frozen=True)
class Settings:
    """What an experiment is made of; the same settings give the same results."""

    data: Path
    out: Path
    n_splits: int = 10
    quick: bool = False
    n_mails: int | None = None
    n_sentences: int | None = None

    @property
    def studies(self) -> tuple[str, ...]:
        """Names of the studies, in their order."""
        return ("paper",) if self.quick else tuple(STUDIES)

    def material(self, threads: int | None, say: Say | None = None) -> Material:
        """The data, read, with lower taggers."""
        sizes = {"n_mails": self.n_mails, "n_sentences": self.n_sentences}
        return Material(self.data, self.out, threads=threads, say=say, **sizes)


@dataclass
class Workshop:
    """Does the cells of all studies, one after another."""

    settings: Settings
    material: Material
    _made: dict[str, Any] = field(default_factory=dict)

    def study(self, name: str) -> transfer.TransferStudy | best.BestStudy:
        """The study of that name."""
        if name not in self._made:
            n, material = self.settings.n_splits, self.material
            splits = material.splits_without_copies if "copies" in name else material.splits
            if name.startswith("best"):
                self._made[name] = best.BestStudy(material, splits(n))
            else:
                c2 = None if name == "tuned" else transfer.PAPER_C2
                self._made[name] = transfer.TransferStudy(material, splits(n), c2)
        found: transfer.TransferStudy | best.BestStudy = self._made[name]
        return found

    def plan(self, name: str) -> Plan:
        """Systems, splits and sizes of a study."""
        full = min(len(split.train) for split in self.study(name).splits)
        n = self.settings.n_splits
        n = min(n, FEWER_SPLITS.get(name, n))
        if name.endswith("curve"):
            systems = best.SYSTEMS if name.startswith("best") else ORIGINAL
            return Plan(systems, n, [size for size in CURVE if size < full])
        if name.startswith("best"):
            return Plan(best.SYSTEMS, n, [full])
        kinds = {"paper": FAST, "others": transfer.SYSTEMS}
        return Plan(kinds.get(name, ORIGINAL), n, [full])

    def fingerprint(self, name: str) -> str:
        """Of all that the results of a study depend on."""
        study = self.study(name)
        template = study.features if isinstance(study, best.BestStudy) else study.conjoined
        lists = [repr(lexicon.spec()) for lexicon in template.lexicons.values()]
        mails = "\0".join(self.material.mails.texts or ())
        fields = [{f: sorted(values) for f, values in mail.items()} for mail in self.material.truth]
        settings: tuple[Any, ...] = (transfer.TRIED_C2, transfer.FOLDS, transfer.TOLERANCE)
        if isinstance(study, best.BestStudy):
            folds = [best.folds_for(size) for size in CURVE]
            settings = (best.C2, best.TOLERANCE, best.FINE, USUAL, folds, EAGERNESS, METHOD)
        kind = "paper" if name in ("others", "curve") else name.removesuffix(" curve")
        texts = (kind, str(template), mails, repr(fields), repr(settings))
        return fingerprint(__version__, *texts, *lists, self.material.lower_mark)


def run_studies(
    settings: Settings,
    *,
    processes: int = 1,
    progress: Callable[[str, Progress], None] | None = None,
    say: Say | None = None,
) -> tuple[dict[str, list[Result]], Material, list[str]]:
    """All results, by study; the finished ones are kept in the output folder.

    More than one process does several splits at a time; the results are the same.
    """
    settings.out.mkdir(parents=True, exist_ok=True)
    material = settings.material(processes, say)
    workshop = Workshop(settings, material)
    results: dict[str, list[Result]] = {}
    notes: list[str] = []
    pool = None
    if processes > 1:
        pool = ProcessPoolExecutor(processes, initializer=_open_workshop, initargs=(settings,))
    try:
        for name in settings.studies:
            store = Store(settings.out / "results.jsonl", workshop.fingerprint(name))
            notes += store.notes
            plan = workshop.plan(name)

            def shown(now: Progress, name: str = name) -> None:
                if progress is not None:
                    progress(name, now)

            if pool is not None:
                _fill(name, plan, store, pool, shown)
            results[name] = run(plan, workshop.study(name).work, store, shown)
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    return results, material, list(dict.fromkeys(notes))


_workshop: Workshop | None = None  # of a worker process


def _open_workshop(settings: Settings) -> None:
    global _workshop
    logging.getLogger("dovetail").setLevel(logging.ERROR)  # the first process has said it all
    _workshop = Workshop(settings, settings.material(1))


def _done(name: str, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    assert _workshop is not None
    study = _workshop.study(name)
    out = []
    for cell in cells:
        start = monotonic()
        found = study.work(cell)
        place = {"system": cell.system, "split": cell.split, "size": cell.size}
        out.append({**place, "seconds": round(monotonic() - start, 3), **found})
    return out


def _fill(
    name: str,
    plan: Plan,
    store: Store,
    pool: ProcessPoolExecutor,
    shown: Callable[[Progress], None],
) -> None:
    """Compute what the store lacks; all systems of a split and size in one process, as they share
    models."""
    groups: dict[tuple[int, int], list[Cell]] = {}
    for cell in plan.cells:
        if store.get(cell) is None:
            groups.setdefault((cell.split, cell.size), []).append(cell)
    waiting = sum(map(len, groups.values()))
    reused = done = len(plan.cells) - waiting
    jobs: dict[Future[list[dict[str, Any]]], list[Cell]] = {
        pool.submit(_done, name, cells): cells for cells in groups.values()
    }
    start = monotonic()
    if jobs:
        shown(Progress(next(iter(groups.values()))[0], done, len(plan.cells), reused, None))
    for job in as_completed(jobs):
        cells = jobs[job]
        for cell, result in zip(cells, job.result(), strict=True):
            store.add(cell, result)
        done += len(cells)
        left = len(plan.cells) - done
        if left:
            seconds = (monotonic() - start) / (done - reused) * left
            shown(Progress(cells[-1], done, len(plan.cells), reused, seconds))


def merged(results: Mapping[str, Sequence[Result]], name: str = "curve") -> list[Result]:
    """A learning curve with its last point, from the study at full size, on the same splits."""
    curve = results.get(name, ())
    systems = {result["system"] for result in curve}
    splits = {result["split"] for result in curve}
    full = results["best" if name.startswith("best") else "paper"]
    return [*curve, *(r for r in full if r["system"] in systems and r["split"] in splits)]
