"""A linear tagger that learns from auxiliary tasks too, by alternating structure optimisation."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from time import monotonic
from typing import Any, Literal, Self, get_args

import numpy as np

from dovetail.base.cluster import refuse_cluster
from dovetail.corpus import Corpus, Shards
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask.auxiliary import AuxiliaryTask, parts
from dovetail.multitask.linear import LinearTagger, training_facts
from dovetail.multitask.matrix import Matrix, check_not_negative, check_whole
from dovetail.multitask.overlap import remove_overlap
from dovetail.multitask.sharing import (
    OF_OTHER_TASKS,
    OF_OWN_PARTS,
    Shared,
    Target,
    free_directions,
    weigh_directions,
)
from dovetail.multitask.structure import ROUNDS, Structure
from dovetail.multitask.weights import Weights

logger = logging.getLogger(__name__)

Variant = Literal["penalised", "paper"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
PRINTED_ROUNDS = 5
MUCH_TEXT = 20_000  # tokens of a task: from there on what follows costs a half, and no accuracy
ROUGH = 0.1  # the tolerance of its predictors
NOT_RARE = 2  # times that it must have a feature, or the feature has no share in directions


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
        auxiliary: Sequence[AuxiliaryTask] = (),
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
        """Learn the shared structure, then the target with it, from a corpus in memory."""
        if isinstance(data, Shards):
            raise DataError(
                "structure is learnt from text that memory holds: train a LinearTagger on this, or "
                "give a corpus"
            )
        refuse_cluster(cluster)
        start = monotonic()
        label, template, codes, labels = self._given(data, label)
        tasks = [*(parts(data, label, self.n_parts) if self.n_parts else ())]
        tasks += self._auxiliary(data, label)
        if not tasks:
            raise DataError("there are no auxiliary tasks to learn from: give n_parts, or some")
        notes = _note_other_labels(tasks, labels)
        printed = self.variant == "paper"
        of_much = not printed and all(_is_of_much_text(task) for task in tasks)
        structure = Structure(
            template,
            self.h or min(len(labels), sum(len(task.positives) for task in tasks)),
            rounds=self.rounds or (PRINTED_ROUNDS if printed else ROUNDS),
            by_columns=self.by_columns,
            loss=self.loss,
            penalty=self.penalty,
            tolerance=max(self.tolerance, ROUGH) if of_much else self.tolerance,
            min_count=max(self.min_count, NOT_RARE) if of_much else self.min_count,
            threads=self.threads,
        )
        n_tokens = None if printed else int((codes >= 0).sum())
        shared: Shared
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
            only_parts = all(task.is_part for task in tasks)
            sharing, held_out = target.choose(OF_OWN_PARTS if only_parts else OF_OTHER_TASKS)
        elif self.calibrate:
            held_out = target.held_out(sharing)
        found, features = target.train(sharing)
        factor = held_out.factor if self.calibrate and held_out is not None else None
        whole = target.along_directions(found, sharing)
        whole[features] += found.found.T
        weights = Weights.of(matrix.native, np.arange(len(whole), dtype=np.uint32), whole)
        rounds = [asdict(each) for each in structure.rounds_]
        facts = {"columns": list(data.names), "rounds": rounds, "sharing": sharing, "notes": notes}
        self._become(weights, template, labels, label, factor, training_facts(found, **facts))
        self.structure_ = structure
        self.sharing_ = sharing
        self.seconds_ = monotonic() - start
        return self

    def fresh(self) -> Self:
        """A clone, for the training on a part of the same text: what this one was trained on stays
        out of tasks that would tell its labels."""
        made = super().fresh()
        made._seen = self._seen
        return made

    def _auxiliary(self, data: Corpus, label: str) -> list[AuxiliaryTask]:
        """The tasks given, without labels of the text to train on."""
        given: Sequence[AuxiliaryTask] = self.auxiliary
        if any(not isinstance(task, AuxiliaryTask) for task in given):
            raise DataError("auxiliary is a list of tasks: see labelled and masked")
        other = next((t for t in given if t.is_part and t.corpus is not data), None)
        if other is not None:
            raise DataError(
                f"the auxiliary task '{other.name}' is of another corpus than the one to train on, "
                "or of a copy of it: say n_parts, which divides the text that is given"
            )
        found = remove_overlap(given, data, label, self._seen)
        if any(task.learned_from is not None for task in given):
            self._seen = frozenset([*self._seen, *sequence_keys(data)])
        return found


def _is_of_much_text(task: AuxiliaryTask) -> bool:
    """Whether a task is of other text, and of much."""
    return not task.is_part and int((task.codes >= 0).sum()) >= MUCH_TEXT


def _note_other_labels(tasks: Sequence[AuxiliaryTask], labels: Sequence[str]) -> list[str]:
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
