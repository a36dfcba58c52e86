"""What tasks have in common, as a column: a few real numbers for each token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import __version__, _native
from dovetail.base.cluster import open_executor, refuse_cluster
from dovetail.base.representation import Representation
from dovetail.cores import count_cores
from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.io.description import reading_description
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.io.model_file import to_bytes as file_bytes
from dovetail.multitask.alternation import Alternation, Directions, Round
from dovetail.multitask.auxiliary import AuxiliaryTask
from dovetail.multitask.learned import Learned, learned_once
from dovetail.multitask.matrix import (
    Loss,
    Matrix,
    Objective,
    Singles,
    check_above_0,
    check_whole,
)
from dovetail.multitask.structure_on_disk import learn_on_disk, open_tasks
from dovetail.multitask.tasks_on_disk import OpenTask, ShardTask
from dovetail.multitask.weights import Weights
from dovetail.representation.annotation import Value, resolve_value

PARAMETERS = (
    "h", "rounds", "loss", "penalty", "tolerance", "min_count", "by_columns", "name", "value",
)  # fmt: skip
ROUNDS = 1  # a second one has moved scores by less than chance
LEAST_CHANGE = 1e-3
SAMPLE = 20_000  # rows by which the spread of the numbers is measured


class Structure(Representation):
    """Theta, the directions that the predictors of auxiliary tasks share (Ando and Zhang 2005).

    The numbers Theta x of a token are a block of real-valued features for a CRF: a soft column with
    h levels, which a pipeline adds to its data as it does with other representations.

    Parameters
    ----------
    features
        The template of the auxiliary tasks.
    h
        How many directions; of each group with ``by_columns``.
    rounds
        Rounds at most; it ends when a round changes nothing any more.
    loss, penalty, tolerance, min_count, threads
        Those of `LinearTagger`.
    by_columns
        Directions of each kind of feature by themselves, by the columns that features read.
    name, value
        The column that is written, and the standard deviation of its numbers; ``auto`` makes it 1,
        and what they count is chosen as for an `HMM`.

    >>> from dovetail.features import column
    >>> from dovetail.multitask import masked
    >>> text = Corpus.from_lists({"word": [["a", "cat", "sat"], ["a", "dog", "ran"]] * 3})
    >>> structure = Structure(Template(column("word").window(1)), h=2)
    >>> structure.fit([masked(text, "word", most=3)]).annotate(text).column("structure").levels
    ('t0', 't1')
    """

    kind = "shared structure"
    fitted_by = "weights_"

    rounds_: list[Round]

    def __init__(
        self,
        features: Template,
        h: int,
        *,
        rounds: int = ROUNDS,
        loss: Loss = "modified_huber",
        penalty: float = 1e-4,
        tolerance: float = 1e-3,
        min_count: int = 1,
        by_columns: bool = False,
        name: str = "structure",
        value: Value = "auto",
        threads: int | None = None,
    ) -> None:
        self.features = features
        self.h = h
        self.rounds = rounds
        self.loss = loss
        self.penalty = penalty
        self.tolerance = tolerance
        self.min_count = min_count
        self.by_columns = by_columns
        self.name = name
        self.value = value
        self.threads = threads
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.features, Template):
            raise DataError("the features of a structure are a Template")
        check_whole("h", self.h)
        check_whole("rounds", self.rounds)
        check_whole("min_count", self.min_count)
        if self.value != "auto":
            check_above_0("value", self.value)
        self._objective.check()

    @property
    def _objective(self) -> Objective:
        return Objective(self.loss, self.penalty, self.tolerance)

    def fit(self, tasks: Sequence[AuxiliaryTask | ShardTask], *, cluster: Any = None) -> Structure:
        """Learn what the tasks share; ``rounds_`` tells how it went. Text on disk is gone through
        part by part, here or by the workers of ``cluster``, a Dask client."""
        in_memory, on_disk = divide_tasks(tasks)
        if not on_disk:
            refuse_cluster(cluster)
            self._learn(Matrix(self.features), in_memory)
            return self
        with open_executor(cluster, self.threads) as executor, ExitStack() as closing:
            _check_tasks(on_disk, self.features)
            opened = open_tasks(on_disk, self.features, self.min_count, executor, closing)
            self._learn_on_disk(opened)
        return self

    def _learn_on_disk(
        self, tasks: Sequence[OpenTask], n_tokens: int | None = None
    ) -> Learned[Structure]:
        """Learn it from text on disk."""
        if self.rounds > 1:
            raise DataError(
                f"rounds is {self.rounds}, and further rounds need text that memory holds: leave "
                "it out"
            )
        group = partial(feature_groups, self.features) if self.by_columns else None
        found = learn_on_disk(
            tasks, self.h, self._objective, n_tokens=n_tokens, group=group, sample=SAMPLE
        )
        self.rounds_ = [found.round]
        self.n_problems_ = found.n_problems
        self._note(task.task for task in tasks)
        self._keep(found.features, found.theta, found.spread)
        shared = np.flatnonzero(found.theta.any(axis=1)).astype(np.uint32)
        features = found.features.features_alone(shared)
        threads = self.threads or count_cores()
        return Learned(self, features, found.theta[shared], found.singular_values, threads)

    def _learn(
        self,
        matrix: Matrix,
        tasks: Sequence[AuxiliaryTask],
        n_tokens: int | None = None,
        *,
        as_printed: bool = False,
    ) -> Alternation:
        """Learn it over a matrix that others use too; ``n_tokens`` is that of `Alternation`. As
        printed, parts keep what they have brought, and all rounds are run."""
        threads = self.threads or count_cores()
        _check_tasks(tasks, self.features)
        alternation = Alternation(
            matrix,
            tasks,
            self.h,
            self._objective,
            n_tokens=n_tokens,
            min_count=self.min_count,
            groups=(lambda: feature_groups(self.features, matrix.native))
            if self.by_columns
            else None,
            leave_own_out=not as_printed,
            threads=threads,
        )
        least_change = 0.0 if as_printed else LEAST_CHANGE
        self.rounds_ = alternation.run(self.rounds, least_change)
        self.n_problems_ = alternation.n_problems
        self._note(tasks)
        theta = alternation.theta
        step = max(1, matrix.native.n_tokens // SAMPLE)
        sample = matrix.rows(np.arange(0, matrix.native.n_tokens, step))
        self._keep(matrix.native, theta, sample.project(theta, threads).std(axis=0))
        return alternation

    def _note(self, tasks: Iterable[AuxiliaryTask | ShardTask]) -> None:
        """Which columns of labels it has seen."""
        seen = dict.fromkeys(task.learned_from for task in tasks)
        self._biased_by = tuple(name for name in seen if name is not None)

    def _keep(self, features: _native.Dataset, theta: Directions, spread: Singles) -> None:
        """Keep directions, of a length that gives the numbers Theta x the spread wanted."""
        value = resolve_value(self.value)
        scale = np.where(spread > 0, value / np.where(spread > 0, spread, 1), 0)
        everything = np.arange(len(theta), dtype=np.uint32)
        self.weights_ = Weights.of(features, everything, theta * scale.astype(np.float32))

    def _learn_once(
        self, tasks: Sequence[AuxiliaryTask], n_tokens: int | None, *, as_printed: bool
    ) -> Learned[Structure]:
        """Learn it over a matrix of the tasks alone, unless the same has just been learned."""

        def learn() -> Learned[Structure]:
            matrix = Matrix(self.features)
            found = self._learn(matrix, tasks, n_tokens, as_printed=as_printed)
            shared = np.flatnonzero(found.theta.any(axis=1)).astype(np.uint32)
            features = matrix.native.features_alone(shared)
            threads = self.threads or count_cores()
            return Learned(self, features, found.theta[shared], found.singular_values, threads)

        strengths = [max(1.0, (n_tokens or 0) / int((task.codes >= 0).sum())) for task in tasks]
        return learned_once(tasks, self.features, (*self._settings, *strengths, as_printed), learn)

    def _learn_on_disk_once(
        self, tasks: Sequence[OpenTask], n_tokens: int | None
    ) -> Learned[Structure]:
        """The same, unless it has just been learned."""
        strengths = [max(1.0, (n_tokens or 0) / task.n_tokens) for task in tasks]
        settings = (*self._settings, *strengths)
        own = [task.task for task in tasks]
        return learned_once(
            own, self.features, settings, lambda: self._learn_on_disk(tasks, n_tokens)
        )

    @property
    def _settings(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in PARAMETERS)

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.features.columns

    @property
    def biased_by_(self) -> tuple[str, ...]:
        return self._biased_by if self.is_fitted else ()

    @property
    def labels_(self) -> list[str]:
        self.check_fitted()
        return [f"t{k}" for k in range(self.weights_.n_columns)]

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        self.check_fitted()
        values = self.weights_.scores(self.features, corpus)
        return {self.name: SoftColumn.of(self.labels_, values)}

    def to_bytes(self) -> bytes:
        self.check_fitted()
        facts = {
            "kind": self.kind,
            "labels": [],
            "features": self.features.spec(),
            "settings": {name: getattr(self, name) for name in PARAMETERS},
            "directions": self.weights_.n_columns,
            "biased_by": list(self._biased_by),
            "n_problems": self.n_problems_,
            "training": {"rounds": [asdict(each) for each in self.rounds_]},
            "dovetail": __version__,
        }
        return file_bytes(self.weights_.contiguous(), facts)

    @classmethod
    def load(
        cls,
        source: Source | ModelFile,
        *,
        features: Template | None = None,
        threads: int | None = None,
        verify: bool | None = True,
    ) -> Structure:
        """A saved structure; ``features`` is needed where its template has functions of your
        own."""
        file = open_model(source, verify)
        file.check_kind(cls.kind)
        with reading_description(file):
            facts = file.facts
            template = features or Template.from_spec(facts["features"])
            made = cls(template, threads=threads, **facts["settings"])
            made.weights_ = Weights.in_file(file, int(facts["directions"]))
            made._biased_by = tuple(str(name) for name in facts["biased_by"])
            made.n_problems_ = int(facts["n_problems"])
            made.rounds_ = [Round(**each) for each in facts["training"]["rounds"]]
        return made


def divide_tasks(
    tasks: Sequence[AuxiliaryTask | ShardTask],
) -> tuple[list[AuxiliaryTask], list[ShardTask]]:
    """Tasks of text in memory, or tasks of text on disk."""
    for task in tasks:
        if not isinstance(task, AuxiliaryTask | ShardTask):
            raise DataError(f"{task!r} is no auxiliary task: make one by labelled or masked")
    in_memory = [task for task in tasks if isinstance(task, AuxiliaryTask)]
    on_disk = [task for task in tasks if isinstance(task, ShardTask)]
    if in_memory and on_disk:
        raise DataError(
            f"the auxiliary task '{in_memory[0].name}' is of text in memory, and "
            f"'{on_disk[0].name}' of text on disk: write the first with "
            "dovetail.corpus.Shards.write too"
        )
    return in_memory, on_disk


def _check_tasks(tasks: Sequence[AuxiliaryTask | ShardTask], features: Template) -> None:
    for task in tasks:
        if task.learned_from in features.columns:
            raise DataError(
                f"the template reads '{task.learned_from}', the column that the auxiliary task "
                f"'{task.name}' is to learn"
            )


def feature_groups(template: Template, data: _native.Dataset) -> npt.NDArray[np.int64]:
    """A number for each feature, by the columns that it reads; those of ends go with the first."""
    columns = {
        row.name: tuple(sorted({part.attribute.column for part in row.parts}))
        for row in template.rows
    }
    numbers = {names: k for k, names in enumerate(dict.fromkeys(columns.values()))}
    found = [
        numbers[columns[row]] if row in columns else 0
        for row in (name.partition("=")[0] for name in data.feature_names())
    ]
    return np.array(found, np.int64)
