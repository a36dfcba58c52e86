"""A linear tagger that learns from auxiliary tasks too, by alternating structure optimisation."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from time import monotonic
from typing import Any, Self

import numpy as np

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask.auxiliary import AuxiliaryTask, parts
from dovetail.multitask.linear import LinearTagger
from dovetail.multitask.matrix import Loss, Matrix
from dovetail.multitask.structure import ROUNDS, Structure
from dovetail.multitask.weights import Weights

logger = logging.getLogger(__name__)

H_A_LABEL = 3


class ASO(LinearTagger):
    """A linear tagger whose predictors are u = w + Theta' v (Ando and Zhang 2005).

    Theta are directions that the predictors of auxiliary tasks share. Along these a target
    predictor may go without being penalised: v is free, w is not. Where the target's own text is
    divided to make tasks, what a part has brought to Theta is left out for the tokens of that part:
    otherwise v would trust labels that Theta has seen.

    Parameters
    ----------
    n_parts
        Auxiliary tasks: the task itself on each of so many parts of its training text, as in
        He et al. (2009); 0 for none.
    auxiliary
        Further ones: see `labelled` and `masked`.
    h
        How many directions; by default three times as many as there are labels, or as there are
        problems.
    rounds, by_columns
        Those of `Structure`; others are those of `LinearTagger`.

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
        rounds: int = ROUNDS,
        by_columns: bool = False,
        loss: Loss = "modified_huber",
        penalty: float = 1e-4,
        min_count: int = 1,
        tolerance: float = 1e-3,
        calibrate: bool = True,
        threads: int | None = None,
    ) -> None:
        super().__init__(
            features=features, loss=loss, penalty=penalty, min_count=min_count,
            tolerance=tolerance, calibrate=calibrate, threads=threads,
        )  # fmt: skip
        if n_parts == 1:
            raise DataError(
                "n_parts is 1: one part is the whole text, with nothing to share; give 0, or at "
                "least 2"
            )
        if n_parts < 0 or rounds < 1:
            what, given, least = ("n_parts", n_parts, 0) if n_parts < 0 else ("rounds", rounds, 1)
            raise DataError(f"{what} is {given}; give a number of at least {least}")
        self.settings.update(
            n_parts=n_parts, auxiliary=tuple(auxiliary), h=h, rounds=rounds, by_columns=by_columns
        )

    def fit(self, data: Corpus, *, label: str | None = None) -> Self:
        """Learn the shared structure, then the target with it."""
        start, own = monotonic(), self.settings
        label, template, codes, labels = self._given(data, label)
        tasks = [*(parts(data, label, own["n_parts"]) if own["n_parts"] else ())]
        tasks += own["auxiliary"]
        _tell_strangers(tasks, labels)
        shared: dict[str, Any] = {
            key: own[key]
            for key in ("rounds", "by_columns", "loss", "penalty", "tolerance", "min_count")
        }
        h = own["h"] or min(H_A_LABEL * len(labels), sum(len(task.positives) for task in tasks))
        structure = Structure(template, max(1, h), threads=own["threads"], **shared)
        matrix = Matrix(template)
        matrix.add(data)  # first, so that its tokens have their own numbers
        alternation = structure._learn(matrix, tasks, int((codes >= 0).sum()))
        block = alternation.projected_corpus(matrix, data)
        factor = None
        if own["calibrate"]:
            factor = self._training.factor(matrix, data, codes, len(labels), block)
        found, features = self._training.of(matrix, codes, len(labels), block)
        whole = alternation.theta @ found.block.T
        whole[features] += found.found.T
        weights = Weights.of(matrix.native, np.arange(len(whole), dtype=np.uint32), whole)
        rounds = [asdict(each) for each in structure.rounds_]
        self._keep(weights, template, labels, label, factor, found, rounds=rounds)
        self.structure_ = structure
        self.seconds_ = monotonic() - start
        return self


def _tell_strangers(tasks: Sequence[AuxiliaryTask], labels: Sequence[str]) -> None:
    for task in tasks:
        if set(labels).isdisjoint(task.labels):
            logger.info(
                "the auxiliary task '%s' shares no label with the target: what its predictors have "
                "in common counts, its labels are never given",
                task.name,
            )
