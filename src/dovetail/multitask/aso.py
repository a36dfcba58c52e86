"""A linear tagger that learns from auxiliary tasks too, by alternating structure optimisation."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from time import monotonic
from typing import Any, Literal, Self, get_args

import numpy as np

from dovetail.base.cluster import open_executor, refuse_cluster
from dovetail.base.executor import Executor
from dovetail.corpus import Corpus, Shards
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask.auxiliary import AuxiliaryTask, parts
from dovetail.multitask.first import First, note_other_labels
from dovetail.multitask.linear import LinearTagger, training_facts
from dovetail.multitask.matrix import Matrix, check_not_negative, check_whole
from dovetail.multitask.overlap import remove_overlap
from dovetail.multitask.overlap_on_disk import hide_known, know, leave_out_overlap
from dovetail.multitask.shard_rows import CorpusRows, check_labels, resolve_target
from dovetail.multitask.sharing import (
    OF_OTHER_TASKS,
    OF_OWN_PARTS,
    Shared,
    Target,
    free_directions,
    weigh_directions,
)
from dovetail.multitask.structure import ROUNDS, Structure, divide_tasks
from dovetail.multitask.target_on_disk import DiskTarget
from dovetail.multitask.tasks_on_disk import ShardTask, count_values
from dovetail.multitask.weights import Weights

logger = logging.getLogger(__name__)

Variant = Literal["penalised", "paper"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
PRINTED_ROUNDS = 5


class ASO(LinearTagger):
    """A linear tagger whose predictors are u = w + Theta' v (Ando and Zhang 2005).

    Theta are directions that the predictors of auxiliary tasks share. Along these a target
    predictor is penalised less than elsewhere: how much less is chosen on text held out, and where
    directions do not help, a `LinearTagger` is left. Where the target's own text is divided to make
    tasks, what a part has brought to Theta is left out for the tokens of that part: otherwise v
    would trust labels that Theta has seen.

    Parameters
    ----------
    n_parts
        Auxiliary tasks: the task itself on each of so many parts of its training text, as in
        He et al. (2009); 0 for none.
    auxiliary
        Further ones: see `labelled` and `masked`.
    h
        How many directions; by default as many as there are labels, or problems.
    sharing
        How much directions count: at 1 as much as all features of a token together, at 0 not at
        all; ``auto`` chooses on a fifth of the sequences held out.
    variant
        ``penalised`` is all this; ``paper`` the algorithm as He et al. print it: v is free, parts
        keep what they have brought, each has the same penalty, and h must be given.
    rounds
        Rounds of alternating, by default 1, or 5 of the paper's variant.
    by_columns
        That of `Structure`; others are those of `LinearTagger`.

    >>> corpus = Corpus.from_lists({"word": [["the", "cat"], ["a", "dog"]] * 3,
    ...                             "pos": [["DET", "NOUN"], ["DET", "NOUN"]] * 3})
    >>> aso = ASO(n_parts=2, h=1).fit(corpus)
    >>> aso.predict([["the", "dog"]]), len(aso.structure_.rounds_) > 0
    ([['DET', 'NOUN']], True)
    """

    def __init__(
        self,
        *,
        features: Template | str | None = None,
        n_parts: int = 7,
        auxiliary: Sequence[AuxiliaryTask | ShardTask] = (),
        h: int | None = None,
        sharing: float | Literal["auto"] = "auto",
        variant: Variant = "penalised",
        rounds: int | None = None,
        by_columns: bool = False,
        **parameters: Any,
    ) -> None:
        self.n_parts = n_parts
        self.auxiliary = tuple(auxiliary) if isinstance(auxiliary, Sequence) else auxiliary
        self.h = h
        self.sharing = sharing
        self.variant = variant
        self.rounds = rounds
        self.by_columns = by_columns
        self._seen: frozenset[Any] = frozenset()
        super().__init__(features=features, **parameters)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_parts == 1:
            raise DataError(
                "one part is the whole text, with nothing to share: give 0 parts, or at least 2"
            )
        check_whole("n_parts", self.n_parts, 0)
        for what in ("rounds", "h"):
            if getattr(self, what) is not None:
                check_whole(what, getattr(self, what))
        if self.sharing != "auto":
            check_not_negative("sharing", self.sharing, "auto")
        if self.variant not in VARIANTS:
            raise DataError(
                f"there is no variant '{self.variant}'; choose from {', '.join(VARIANTS)}"
            )
        if self.variant == "paper":
            self._check_as_printed()
        if not isinstance(self.auxiliary, Sequence):
            raise DataError("auxiliary is a list of tasks: see labelled and masked")

    def _check_as_printed(self) -> None:
        """Refuse what the paper does not have."""
        if self.h is None:
            raise DataError("the variant 'paper' has no default for h: give a number of directions")
        if self.sharing != "auto":
            raise DataError("the variant 'paper' leaves v free: leave out sharing")
        if self.by_columns:
            raise DataError("the variant 'paper' has one set of directions: leave out by_columns")

    def fit(self, data: Corpus | Shards, *, label: str | None = None, cluster: Any = None) -> Self:
        """Learn the shared structure, then the target with it.

        Text on disk, of tasks or of the target, is gone through part by part, here or by the
        workers of ``cluster``, a Dask client or what `dovetail.base.cluster.open_cluster` takes;
        the weights have the same bits.
        """
        if isinstance(data, Shards):
            return self._fit_shards(data, label, cluster)
        start = monotonic()
        label, template, codes, labels = self._given(data, label)
        if self.n_parts and any(isinstance(task, ShardTask) for task in self.auxiliary):
            raise DataError(
                "parts of the text to train on are in memory, auxiliary tasks are on disk: give "
                "n_parts=0 (in a recipe, parts = 0)"
            )
        own = parts(data, label, self.n_parts) if self.n_parts else ()
        tasks, on_disk = self._divide([*own, *self.auxiliary], data)
        printed = self.variant == "paper"
        n_tokens = None if printed else int((codes >= 0).sum())
        shared: Shared
        if on_disk:
            with open_executor(cluster, self.threads) as executor, ExitStack() as closing:
                clear = self._without_overlap(on_disk, data, label, executor)
                opened, rough = self._first.open(clear, template, executor, closing)
                notes = note_other_labels(opened, labels)
                learned = self._first.learn_on_disk(opened, template, labels, n_tokens, rough)
            structure = learned.structure
            matrix, shared = learned.beside(template, data)
        else:
            refuse_cluster(cluster)
            tasks = self._without_own(tasks, data, label)
            notes = note_other_labels(tasks, labels)
            structure = self._first.structure(template, labels, tasks)
            if any(task.is_part for task in tasks):
                matrix = Matrix(template)
                matrix.add(data)  # first, so that its tokens have their own numbers
                shared = structure._learn(matrix, tasks, n_tokens, as_printed=printed)
            else:
                learned = structure._learn_once(tasks, n_tokens, as_printed=printed)
                structure = learned.structure
                matrix, shared = learned.beside(template, data)
        weigh = free_directions if printed else weigh_directions
        directions = weigh(shared, matrix, data, codes)
        target = Target(self._training, matrix, data, codes, len(labels), directions)
        sharing, held_out = None if printed else self.sharing, None
        if sharing == "auto":
            only_parts = bool(tasks) and all(task.is_part for task in tasks)
            sharing, held_out = target.choose(OF_OWN_PARTS if only_parts else OF_OTHER_TASKS)
        elif self.calibrate:
            held_out = target.held_out(sharing)
        classifiers, features = target.train(sharing)
        factor = held_out.factor if self.calibrate and held_out is not None else None
        whole = target.along_directions(classifiers, sharing)
        whole[features] += classifiers.found.T
        weights = Weights.of(matrix.native, np.arange(len(whole), dtype=np.uint32), whole)
        facts = training_facts(classifiers, **self._facts(data, structure, sharing, notes))
        self._become(weights, template, labels, label, factor, facts)
        self.structure_ = structure
        self.sharing_ = sharing
        self.seconds_ = monotonic() - start
        return self

    def _fit_shards(self, shards: Shards, label: str | None, cluster: Any) -> Self:
        """The same with a target on disk, beside tasks of other text."""
        start = monotonic()
        if self.n_parts or self.variant == "paper":
            raise DataError(
                "parts of a text on disk are no tasks, and the variant 'paper' needs text that "
                "memory holds: give n_parts=0, and auxiliary tasks of other text"
            )
        label, template = resolve_target(shards, label, self.features)
        tasks, on_disk = self._divide(self.auxiliary, shards)
        with open_executor(cluster, self.threads) as executor, ExitStack() as closing:
            counts = count_values(shards, label, executor)
            labels, n_tokens = list(counts), sum(counts.values())
            check_labels(labels, label)
            if on_disk:
                clear = self._without_overlap(on_disk, shards, label, executor)
                opened, rough = self._first.open(clear, template, executor, closing)
                notes = note_other_labels(opened, labels)
                learned = self._first.learn_on_disk(opened, template, labels, n_tokens, rough)
            else:
                tasks = hide_known(tasks, know(shards, label, executor))
                notes = note_other_labels(tasks, labels)
                structure = self._first.structure(template, labels, tasks)
                learned = structure._learn_once(tasks, n_tokens, as_printed=False)
            keys = learned.keys()
            rows = CorpusRows(shards, label, template, self.min_count, executor, closing, also=keys)
            sharing = None if self.sharing == "auto" else float(self.sharing)
            target = DiskTarget(rows, learned, self._objective)
            found = target.train(sharing, OF_OTHER_TASKS, self.calibrate)
        everything = np.arange(len(found.predictors), dtype=np.uint32)
        facts = {
            "objective": found.found.objective,
            "iterations": [found.found.rounds],
            **self._facts(shards, learned.structure, found.sharing, notes),
        }
        weights = Weights.of(found.data, everything, found.predictors)
        self._become(weights, template, rows.labels, label, found.factor, facts)
        self.structure_ = learned.structure
        self.sharing_ = found.sharing
        self.seconds_ = monotonic() - start
        return self

    def _divide(
        self, tasks: Sequence[Any], data: Corpus | Shards
    ) -> tuple[list[AuxiliaryTask], list[ShardTask]]:
        """Tasks of text in memory, or on disk."""
        if not tasks:
            raise DataError("there are no auxiliary tasks to learn from: give n_parts, or some")
        if any(not isinstance(task, AuxiliaryTask | ShardTask) for task in tasks):
            raise DataError("auxiliary is a list of tasks: see labelled and masked")
        in_memory, on_disk = divide_tasks(tasks)
        other = next((t for t in in_memory if t.is_part and t.corpus is not data), None)
        if other is not None:
            raise DataError(
                f"the auxiliary task '{other.name}' is of another corpus than the one to train on, "
                "or of a copy of it: say n_parts, which divides the text that is given"
            )
        if on_disk and self.variant == "paper":
            raise DataError("the variant 'paper' needs tasks of text that memory holds")
        return in_memory, on_disk

    @property
    def _first(self) -> First:
        """How the structure is learned."""
        printed = self.variant == "paper"
        rounds = self.rounds or (PRINTED_ROUNDS if printed else ROUNDS)
        objective = self._objective
        return First(
            self.h, rounds, self.by_columns, objective, self.min_count, self.threads, printed
        )

    def _facts(
        self,
        data: Corpus | Shards,
        structure: Structure,
        sharing: float | None,
        notes: list[str],
    ) -> dict[str, Any]:
        rounds = [asdict(each) for each in structure.rounds_]
        return {"columns": list(data.names), "rounds": rounds, "sharing": sharing, "notes": notes}

    def fresh(self) -> Self:
        """A clone, for the training on a part of the same text: what this one was trained on stays
        out of tasks that would tell its labels."""
        made = super().fresh()
        made._seen = self._seen
        return made

    def _without_own(
        self, tasks: Sequence[AuxiliaryTask], data: Corpus, label: str
    ) -> list[AuxiliaryTask]:
        """Tasks without labels of the text to train on."""
        found = remove_overlap(tasks, data, label, self._seen)
        self._remember(tasks, data)
        return found

    def _without_overlap(
        self, tasks: Sequence[ShardTask], data: Corpus | Shards, label: str, executor: Executor
    ) -> list[ShardTask]:
        """The same of tasks on disk."""
        found = leave_out_overlap(tasks, data, label, self._seen, executor)
        if isinstance(data, Corpus):
            self._remember(tasks, data)
        return found

    def _remember(self, tasks: Sequence[AuxiliaryTask | ShardTask], data: Corpus) -> None:
        if any(task.learned_from is not None and not task.is_part for task in tasks):
            self._seen = frozenset([*self._seen, *sequence_keys(data)])
