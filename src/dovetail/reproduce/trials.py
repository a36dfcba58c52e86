"""Trials of several studies: every study's plan is gone through, results are kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from dovetail.compare import Cell, Plan, Progress, Store
from dovetail.compare.plan import Result
from dovetail.reproduce.lower import Say


class Study(Protocol):
    """Systems on the same data: what is to be done, a mark of all that it depends on, which cells
    share models, and a cell of it done."""

    @property
    def plan(self) -> Plan: ...
    @property
    def fingerprint(self) -> str: ...
    def shares(self, cell: Cell) -> Hashable: ...
    def work(self, cell: Cell) -> dict[str, Any]: ...


Studies = Mapping[str, Study]


@dataclass(frozen=True)
class Trial:
    """What a trial is made of; the same settings give the same results.

    ``n_sentences`` makes a smaller one, of taggers below from so many sentences.
    """

    data: Path
    out: Path
    n_draws: int
    quick: bool = False
    n_sentences: int | None = None

    def studies(self, threads: int | None, say: Say | None = None) -> Studies:
        """The cases by name; taggers below that are not there yet are trained."""
        raise NotImplementedError


@dataclass(frozen=True)
class Job:
    """Cells of a case that share models, done one after another."""

    case: str
    cells: Sequence[Cell]


def run_trial(
    trial: Trial,
    *,
    processes: int = 1,
    progress: Callable[[str, Progress], None] | None = None,
    say: Say | None = None,
) -> tuple[dict[str, list[Result]], list[str]]:
    """All results by case, and notes; the finished ones are kept in the output folder.

    More than one process does several jobs at a time; the results are the same.
    """
    trial.out.mkdir(parents=True, exist_ok=True)
    studies = trial.studies(processes, say)
    kept = trial.out / "results.jsonl"
    stores = {name: Store(kept, study.fingerprint) for name, study in studies.items()}
    jobs = [job for name, study in studies.items() for job in _jobs(name, study, stores[name])]
    total = sum(len(study.plan.cells) for study in studies.values())
    reused = done = total - sum(len(job.cells) for job in jobs)
    start = monotonic()
    for job, results in _computed(trial, studies, jobs, processes):
        if results:
            for cell, result in zip(job.cells, results, strict=True):
                stores[job.case].add(cell, result)
            done += len(results)
        if progress is not None and done < total:
            passed = monotonic() - start
            left = passed / (done - reused) * (total - done) if done > reused else None
            progress(job.case, Progress(job.cells[0], done, total, reused, left))
    found = {
        name: [stores[name].get(cell) or {} for cell in study.plan.cells]
        for name, study in studies.items()
    }
    notes = [note for store in stores.values() for note in store.notes]
    return found, list(dict.fromkeys(notes))


def _jobs(name: str, study: Study, store: Store) -> list[Job]:
    groups: dict[Hashable, list[Cell]] = {}
    for cell in study.plan.cells:
        if store.get(cell) is None:
            groups.setdefault(study.shares(cell), []).append(cell)
    return [Job(name, cells) for cells in groups.values()]


def _computed(
    trial: Trial, studies: Studies, jobs: Sequence[Job], processes: int
) -> Iterator[tuple[Job, list[Result]]]:
    """Jobs with their results, and without any before the first of them is done."""
    global _studies
    if jobs:
        yield jobs[0], []
    if processes == 1:
        yield from ((job, _done(studies[job.case], job)) for job in jobs)
        return
    _studies = studies  # which processes inherit where they are forked
    pool = ProcessPoolExecutor(processes, initializer=_open_studies, initargs=(trial,))
    try:
        waiting: dict[Future[list[Result]], Job] = {pool.submit(_done_here, j): j for j in jobs}
        yield from ((waiting[future], future.result()) for future in as_completed(waiting))
    finally:
        pool.shutdown(cancel_futures=True)
        _studies = None


_studies: Studies | None = None  # of a worker process


def _open_studies(trial: Trial) -> None:
    global _studies
    logging.getLogger("dovetail").setLevel(logging.ERROR)  # the first process has said it all
    if _studies is None:
        _studies = trial.studies(1)


def _done_here(job: Job) -> list[Result]:
    assert _studies is not None
    return _done(_studies[job.case], job)


def _done(study: Study, job: Job) -> list[dict[str, Any]]:
    out = []
    for cell in job.cells:
        start = monotonic()
        found = study.work(cell)
        place = {"system": cell.system, "split": cell.split, "size": cell.size}
        out.append({**place, "seconds": round(monotonic() - start, 3), **found})
    return out
