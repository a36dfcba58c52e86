"""Runs an experiment: every study's plan is gone through, and results are kept as they come."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import active_children, get_context
from time import monotonic

from dovetail.compare import Cell, Progress, Result, Store
from experiments.common.experiment import Experiment, Say, Studies, Study

STORE = "results.jsonl"


@dataclass(frozen=True)
class Job:
    """Cells of a study that share models, done one after another."""

    study: str
    cells: Sequence[Cell]


def run_experiment(
    experiment: Experiment,
    *,
    processes: int = 1,
    progress: Callable[[str, Progress], None] | None = None,
    say: Say | None = None,
) -> tuple[dict[str, list[Result]], list[str]]:
    """All results by study, and notes; the finished ones are kept in the output folder.

    More than one process does several jobs at a time; the results are the same.
    """
    experiment.out.mkdir(parents=True, exist_ok=True)
    studies = experiment.studies(processes, say)
    kept = experiment.out / STORE
    stores = {name: Store(kept, study.fingerprint) for name, study in studies.items()}
    jobs = [job for name, study in studies.items() for job in _jobs(name, study, stores[name])]
    total = sum(len(study.plan.cells) for study in studies.values())
    reused = done = total - sum(len(job.cells) for job in jobs)
    start = monotonic()
    for job, results in _computed(experiment, studies, jobs, processes):
        if results:
            for cell, result in zip(job.cells, results, strict=True):
                stores[job.study].add(cell, result)
            done += len(results)
        if progress is not None and done < total:
            passed = monotonic() - start
            left = passed / (done - reused) * (total - done) if done > reused else None
            progress(job.study, Progress(job.cells[0], done, total, reused, left))
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
    experiment: Experiment, studies: Studies, jobs: Sequence[Job], processes: int
) -> Iterator[tuple[Job, list[Result]]]:
    """Jobs with their results, and without any before the first of them is done."""
    if jobs:
        yield jobs[0], []
    if processes == 1 or len(jobs) < 2:
        yield from ((job, _do(studies[job.study], job)) for job in jobs)
        return
    context = get_context("spawn")
    pool = ProcessPoolExecutor(min(processes, len(jobs)), context, initializer=_quiet)
    try:
        waiting: dict[Future[list[Result]], Job] = {
            pool.submit(_do_in_process, experiment, job): job for job in jobs
        }
        yield from ((waiting[future], future.result()) for future in as_completed(waiting))
    except BaseException:
        for process in active_children():  # else the jobs that have begun would be finished first
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _quiet() -> None:
    """A process that says nothing: the first one has said it all, also that it is interrupted."""
    logging.getLogger("dovetail").setLevel(logging.ERROR)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@lru_cache(maxsize=1)
def _studies(experiment: Experiment) -> Studies:
    """The studies of an experiment, made once in each process."""
    return experiment.studies(1)


def _do_in_process(experiment: Experiment, job: Job) -> list[Result]:
    return _do(_studies(experiment)[job.study], job)


def _do(study: Study, job: Job) -> list[Result]:
    out = []
    for cell in job.cells:
        start = monotonic()
        found = study.work(cell)
        place = {"system": cell.system, "split": cell.split, "size": cell.size}
        out.append({**place, "seconds": round(monotonic() - start, 3), **found})
    return out
