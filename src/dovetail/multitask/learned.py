"""Directions that tasks from other text share: learned once for all targets that use them.

Where no task is a part of the target's own text, Theta does not depend on the target. Cross-fitting
and comparisons train many targets beside the same tasks, so it is kept as long as these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.corpus import Corpus
from dovetail.features import Template
from dovetail.multitask.alternation import Directions
from dovetail.multitask.auxiliary import AuxiliaryTask
from dovetail.multitask.matrix import Matrix, Singles
from dovetail.multitask.tasks_on_disk import ShardTask

Source = TypeVar("Source")
Task: TypeAlias = AuxiliaryTask | ShardTask


@dataclass(frozen=True)
class Learned(Generic[Source]):
    """A structure, the features that have a share in it, and its directions over these: Theta',
    [features x directions]."""

    structure: Source
    features: _native.Dataset
    theta: Directions
    singular_values: list[list[float]]
    threads: int

    def keys(self) -> npt.NDArray[np.uint64]:
        """The keys of the features, in rising order."""
        arrays: Any = _native.dataset_arrays(self.features)
        return np.sort(arrays["keys"])

    def beside(self, template: Template, corpus: Corpus) -> tuple[Matrix, Placed]:
        """A matrix with the rows of a corpus, and the directions over its features."""
        matrix = Matrix(template, self.features)
        matrix.add(corpus)
        n_more = matrix.n_features - len(self.theta)
        theta = np.pad(self.theta, ((0, n_more), (0, 0)))
        return matrix, Placed(theta, self.singular_values, self.threads)


@dataclass(frozen=True)
class Placed:
    """Theta' over the features of a matrix, [features x directions]."""

    theta: Directions
    singular_values: list[list[float]]
    threads: int

    def projected_corpus(self, matrix: Matrix, corpus: Corpus) -> Singles:
        """Theta x of the tokens of a corpus of the matrix, [tokens x directions]."""
        first = matrix.add(corpus)
        rows = matrix.rows(np.arange(first, first + corpus.n_tokens))
        return np.asarray(rows.project(self.theta, self.threads))


@dataclass(frozen=True)
class _Kept:
    tasks: Sequence[ref[Task]]
    template: Template
    settings: tuple[Any, ...]
    learned: Learned[Any]

    def is_of(self, tasks: Sequence[Task], template: Template, settings: tuple[Any, ...]) -> bool:
        """Whether the same was learned from. What functions of a template do cannot be compared."""
        if [own() for own in self.tasks] != [*tasks] or settings != self.settings:
            return False
        if template.spec()["functions"]:
            return template is self.template
        return template == self.template


_kept: WeakKeyDictionary[Task, _Kept] = WeakKeyDictionary()  # by the first of the tasks


def learned_once(
    tasks: Sequence[Task],
    template: Template,
    settings: tuple[Any, ...],
    learn: Callable[[], Learned[Source]],
) -> Learned[Source]:
    """What was learned last from the same tasks, features and settings, or else what is learned
    now."""
    kept = _kept.get(tasks[0])
    if kept is None or not kept.is_of(tasks, template, settings):
        kept = _Kept([ref(task) for task in tasks], template, settings, learn())
        _kept[tasks[0]] = kept
    return kept.learned
