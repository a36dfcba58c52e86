"""Many trainings on parts of the same text: folds of cross-validation, points of a grid.

The text is indexed once, each part taken from that index (`Dataset.select`), and trainings run over
the cores, each on one: a small training has too little to do for two; or over the workers of a
cluster. Every model has the same bits
as one that is trained alone. None begins with the weights of another: of the same text with another
penalty they are a worse start than none, and those of more text know what is held out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from dovetail.base.at_once import run_at_once
from dovetail.base.executor import Executor, Shared
from dovetail.base.training import was_interrupted
from dovetail.chain.model import ChainModel
from dovetail.chain.tagger import Tagger
from dovetail.chain.train.steps import Callback
from dovetail.cores import count_cores
from dovetail.errors import DataError
from dovetail.features import Dataset

T = TypeVar("T")
Ints = npt.NDArray[np.int64]
MOST_TOKENS = 200_000  # in a part; above it, trainings follow one another, for their memory's sake


class Job(NamedTuple):
    """A training: the tagger, which stays as it is, and the number of the part to train on."""

    tagger: Tagger
    part: int
    callback: Callback | None = None


def train_on_parts(
    data: Dataset,
    parts: Sequence[Ints],
    jobs: Sequence[Job],
    judge: Callable[[Job, Tagger], T],
    done: Callable[[Job], None] | None = None,
    cluster: Executor | None = None,
) -> list[T]:
    """What ``judge``, which is not sent to a cluster, says of each job's trained tagger, in order.

    ``parts`` are numbers of sequences. Jobs run fastest if those on one part stand together.
    ``done`` is called after each job, in order, and so are callbacks with all its rounds where
    trainings run at the same time.
    """
    if cluster is not None:
        return _train_elsewhere(data, parts, jobs, judge, done, cluster)
    threads = max((job.tagger.threads or count_cores() for job in jobs), default=1)
    if data.n_tokens > MOST_TOKENS:
        threads = 1
    together = threads > 1 and len(jobs) > 1
    select = lru_cache(maxsize=threads)(lambda part: data.select(parts[part]))

    def train(job: Job) -> tuple[T, Tagger]:
        own = job.tagger.clone()
        if together:
            own.threads = 1
        own.fit(select(job.part), callback=None if together else job.callback)
        if was_interrupted(own.stopped_):
            raise KeyboardInterrupt
        return judge(job, own), own

    def report(number: int, found: tuple[T, Tagger]) -> None:
        _report(jobs[number], found[1].history_ if together else [], done)

    tasks = [lambda job=job: train(job) for job in jobs]
    return [found for found, _ in run_at_once(tasks, threads, report)]


class Trained(NamedTuple):
    """What a training elsewhere leaves: the model's file, its rounds, why it ended."""

    model: bytes
    history: list[Any]
    stopped: str


def _train_elsewhere(
    data: Dataset,
    parts: Sequence[Ints],
    jobs: Sequence[Job],
    judge: Callable[[Job, Tagger], T],
    done: Callable[[Job], None] | None,
    cluster: Executor,
) -> list[T]:
    """The same, trained by workers."""
    asked = [(job.tagger, job.part) for job in jobs]
    work = Shared((data, parts, asked, cluster.threads))
    found = cluster.each("fold", train_fold, range(len(jobs)), work, together=False)
    results = []
    for job, (model, history, stopped) in zip(jobs, found, strict=True):
        own = job.tagger.clone()
        own.model_, own.history_, own.stopped_ = ChainModel.load(model), history, stopped
        if data.template is own.features:
            own.model_.accepted = data.template
        results.append(judge(job, own))
        _report(job, history, done)
    return results


def train_fold(
    number: int, work: Shared[tuple[Dataset, Sequence[Ints], Sequence[tuple[Tagger, int]], int]]
) -> Trained:
    """One of many trainings, each on a part of a text."""
    data, parts, asked, threads = work.value
    tagger, part = asked[number]
    own = tagger.clone().set_params(threads=threads)
    own.fit(data.select(parts[part]))
    return Trained(own.to_bytes(), own.history_, own.stopped_)


def _report(job: Job, history: Sequence[Any], done: Callable[[Job], None] | None) -> None:
    if job.callback is not None:
        for progress in history:
            job.callback(progress)
    if done is not None:
        done(job)


def divide(folds: npt.ArrayLike) -> list[tuple[Ints, Ints]]:
    """By the fold of each sequence, the sequences outside of each fold and those in it.

    >>> [held_out.tolist() for _, held_out in divide([0, 1, 0])]
    [[0, 2], [1]]
    """
    numbers = np.asarray(folds, np.int64)
    folds_there = np.unique(numbers)
    if len(folds_there) < 2:
        raise DataError("cross-validation needs at least two folds")
    return [(np.flatnonzero(numbers != k), np.flatnonzero(numbers == k)) for k in folds_there]
