"""What `ASO` learns first: the structure of its auxiliary tasks, of much text roughly."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from dovetail.base.executor import Executor
from dovetail.features import Template
from dovetail.multitask.auxiliary import AuxiliaryTask
from dovetail.multitask.learned import Learned
from dovetail.multitask.matrix import Objective
from dovetail.multitask.structure import Structure
from dovetail.multitask.structure_on_disk import open_tasks
from dovetail.multitask.tasks_on_disk import OpenTask, ShardTask

logger = logging.getLogger(__name__)

MUCH_TEXT = 20_000  # tokens of a task: from there on what follows costs a half, and no accuracy
ROUGH = 0.1  # the tolerance of its predictors
NOT_RARE = 2  # times that it must have a feature, or the feature has no share in directions


@dataclass(frozen=True)
class First:
    """How the structure is learned; without ``h`` it has as many directions as there are labels, or
    problems."""

    h: int | None
    rounds: int
    by_columns: bool
    objective: Objective
    min_count: int
    threads: int | None
    as_printed: bool

    def structure(
        self, template: Template, labels: Sequence[str], tasks: Sequence[AuxiliaryTask]
    ) -> Structure:
        """Not yet learned, for tasks of text in memory."""
        sizes = [0 if task.is_part else int((task.codes >= 0).sum()) for task in tasks]
        n_problems = sum(len(task.positives) for task in tasks)
        return self._structure(template, labels, n_problems, rough=self._is_rough(sizes))

    def open(
        self,
        tasks: Sequence[ShardTask],
        template: Template,
        executor: Executor,
        closing: ExitStack,
    ) -> tuple[list[OpenTask], bool]:
        """The rows of tasks on disk, and whether they are of so much text that rough will do."""
        rough = self._is_rough([task.count(executor) for task in tasks])
        min_count = max(self.min_count, NOT_RARE) if rough else self.min_count
        return open_tasks(tasks, template, min_count, executor, closing), rough

    def learn_on_disk(
        self,
        tasks: Sequence[OpenTask],
        template: Template,
        labels: Sequence[str],
        n_tokens: int | None,
        rough: bool,
    ) -> Learned[Structure]:
        """The structure of tasks on disk, beside a target of so many tokens."""
        n_problems = sum(len(task.problems) for task in tasks)
        structure = self._structure(template, labels, n_problems, rough=rough)
        return structure._learn_on_disk_once(tasks, n_tokens)

    def _is_rough(self, sizes: Sequence[int]) -> bool:
        """Whether tasks are of other text, and of much."""
        return not self.as_printed and min(sizes) >= MUCH_TEXT

    def _structure(
        self, template: Template, labels: Sequence[str], n_problems: int, *, rough: bool
    ) -> Structure:
        objective = self.objective
        return Structure(
            template,
            self.h or min(len(labels), n_problems),
            rounds=self.rounds,
            by_columns=self.by_columns,
            loss=objective.loss,
            penalty=objective.penalty,
            tolerance=max(objective.tolerance, ROUGH) if rough else objective.tolerance,
            min_count=max(self.min_count, NOT_RARE) if rough else self.min_count,
            threads=self.threads,
        )


def note_other_labels(
    tasks: Sequence[AuxiliaryTask | OpenTask], labels: Sequence[str]
) -> list[str]:
    """Notes on labelled tasks that have other labels than the target."""
    notes = [
        f"the auxiliary task '{task.name}' shares no label with the target: what its predictors "
        "have in common counts, its labels are never given"
        for task in tasks
        if task.learned_from is not None and set(labels).isdisjoint(task.labels)
    ]
    for note in notes:
        logger.info(note)
    return notes
