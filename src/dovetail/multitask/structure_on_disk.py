"""Shared directions of tasks over corpora on disk: one round of alternating structure optimisation.

With no directions yet, each problem is a linear classifier, and Theta are the main directions of
all of them (`Alternation`). The workers of a cluster go through the parts; here stand the weights,
of as many problems at a time as `AT_ONCE` allows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor
from dovetail.chain.train.shards.agreement import unite
from dovetail.cores import count_cores
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask.alternation import NOISE, Directions, Round
from dovetail.multitask.matrix import Doubles, Objective, Singles
from dovetail.multitask.shards import Asked, Solver
from dovetail.multitask.tasks_on_disk import OpenTask, ShardTask
from dovetail.numeric import eigh, matmul

logger = logging.getLogger(__name__)

AT_ONCE = 4_000_000  # weights that are trained together, which takes about 200 bytes each
FEW = 1 << 16  # features that are turned together
Ints = npt.NDArray[np.int64]


class DiskStructure(NamedTuple):
    """What tasks share: directions Theta' over the features of a data set, [features x h], the
    singular values of each group of features, how the round went, how far the numbers Theta x
    spread in the text, and how many problems there were."""

    features: _native.Dataset
    theta: Directions
    singular_values: list[list[float]]
    round: Round
    spread: Singles
    n_problems: int


def open_tasks(
    tasks: Sequence[ShardTask],
    template: Template,
    min_count: int,
    executor: Executor,
    closing: ExitStack,
) -> list[OpenTask]:
    """Tasks whose rows are laid out."""
    return [task.open(template, min_count, executor, closing) for task in tasks]


def learn_on_disk(
    tasks: Sequence[OpenTask],
    h: int,
    objective: Objective,
    *,
    n_tokens: int | None,
    group: Callable[[_native.Dataset], Ints] | None,
    sample: int,
) -> DiskStructure:
    """The h main directions of all problems, of each group of features; their spread is that of a
    sample of the rows of each task."""
    n_problems = sum(len(task.problems) for task in tasks)
    if not 1 <= h <= n_problems:
        raise DataError(
            f"h is {h}, but the auxiliary tasks make {n_problems} problems: give h from 1 to "
            f"{n_problems}, or more tasks"
        )
    features, places = unite([task.rows.data for task in tasks])
    predictors = np.zeros((features.n_features, n_problems), np.float32)
    done, total = 0, 0.0
    for task, place in zip(tasks, places, strict=True):
        own = replace(
            objective, penalty=objective.penalty * max(1.0, (n_tokens or 0) / task.n_tokens)
        )
        width = max(1, AT_ONCE // task.rows.n_features)
        for first in range(0, len(task.problems), width):
            some = tuple(task.problems[first : first + width])
            found = Solver(task.rows).minimise(Asked(some), own)
            total += found.objective
            predictors[place, done : done + len(some)] = found.predictors
            done += len(some)
            logger.info("%s: %d of %d problems", task.task.name, done, n_problems)
    theta, values = main_directions(predictors, h, None if group is None else group(features))
    del predictors
    spread = _spread(tasks, places, theta, sample)
    done_round = Round(1, total / n_problems, values, 1.0)
    return DiskStructure(features, theta, values, done_round, spread, n_problems)


def main_directions(
    predictors: Singles, h: int, groups: Ints | None
) -> tuple[Directions, list[list[float]]]:
    """The h left singular vectors of predictors [features x problems] with the largest singular
    values, and these; of the features of each group by themselves."""
    if groups is None:
        groups = np.zeros(len(predictors), np.int64)
    n_groups = int(groups.max(initial=0)) + 1
    threads = count_cores()
    theta = np.zeros((len(predictors), h * n_groups), np.float32)
    values = []
    for g in range(n_groups):
        rows = np.flatnonzero(groups == g)
        pieces = [rows[first : first + FEW] for first in range(0, len(rows), FEW)]
        square = np.zeros((predictors.shape[1], predictors.shape[1]))
        for piece in pieces:
            own = predictors[piece].astype(np.float64)
            square += matmul(own.T, own, threads=threads)
        squares, vectors = eigh(square, threads=threads)
        squares, vectors = squares[: -h - 1 : -1], vectors[:, : -h - 1 : -1]
        singular = np.sqrt(np.maximum(squares, 0))
        some = singular > NOISE * max(float(singular[0]), 1e-30)
        mixing = vectors * np.where(some, 1 / np.where(some, singular, 1), 0)
        for piece in pieces:
            own = predictors[piece].astype(np.float64)
            theta[piece, g * h : (g + 1) * h] = matmul(own, mixing, threads=threads)
        values.append([float(value) for value in singular])
    return theta, values


def _spread(
    tasks: Sequence[OpenTask], places: Sequence[Ints], theta: Directions, sample: int
) -> Singles:
    """The standard deviation of the numbers Theta x over some of the rows."""
    found: list[Doubles] = []
    for task, place in zip(tasks, places, strict=True):
        vectors = theta[place].astype(np.float64)
        found.append(Solver(task.rows).score(vectors, None, -(-sample // len(tasks)))[0])
    spread: Singles = np.concatenate(found).std(axis=0).astype(np.float32)
    return spread
