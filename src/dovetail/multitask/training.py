"""The training of a linear tagger over a matrix, with shared directions or without."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.multitask.calibration import calibrate_factor
from dovetail.multitask.matrix import (
    Classifiers,
    Codes,
    Doubles,
    Matrix,
    Objective,
    Singles,
    classifiers,
)
from dovetail.numeric import matmul

HELD_OUT = 5  # every so many sequences one is held out
COARSE = 1e-2  # the tolerance of trainings that only tell which way to go


@dataclass(frozen=True)
class Block:
    """Dense features of the first tokens of a matrix, [tokens x h], and the penalty on their
    weights, which are free where it is 0."""

    values: Singles
    penalty: float = 0.0


@dataclass(frozen=True)
class HeldOut:
    """What a training on the other sequences says of those held out: scores [tokens x labels],
    true labels, their numbers in the text, and those of the labels that were trained."""

    scores: Doubles
    codes: Codes
    tokens: npt.NDArray[np.int64]
    trained: npt.NDArray[np.int32]

    @property
    def factor(self) -> float:
        """The factor of probabilities."""
        return calibrate_factor(self.scores, self.codes)


@dataclass(frozen=True)
class Training:
    """How classifiers are trained."""

    objective: Objective
    min_count: int
    threads: int

    def coarser(self, tolerance: float) -> Training:
        """The same with no less a tolerance."""
        found = max(self.objective.tolerance, tolerance)
        return replace(self, objective=replace(self.objective, tolerance=found))

    def of(
        self, matrix: Matrix, codes: Codes, n_labels: int, block: Block | None = None
    ) -> tuple[Classifiers, npt.NDArray[np.uint32]]:
        """Classifiers of the first tokens of a matrix, those that have a code, and the features
        that they weigh."""
        tokens = np.flatnonzero(codes >= 0)
        rows = matrix.rows_to_learn(tokens, self.min_count)
        found = classifiers(
            rows,
            codes[tokens],
            range(n_labels),
            self.objective,
            block=None if block is None else block.values[tokens],
            block_penalty=0.0 if block is None else block.penalty,
            threads=self.threads,
        )
        return found, rows.features()

    def held_out(
        self,
        matrix: Matrix,
        data: Corpus,
        codes: Codes,
        n_labels: int,
        block: Block | None = None,
    ) -> HeldOut:
        """Scores of sequences that a training on the others leaves out; where there are too few, of
        those it was trained on."""
        out = np.arange(len(data)) % HELD_OUT == HELD_OUT - 1
        held_out = np.repeat(out, np.diff(data.bounds)) & (codes >= 0)
        rest = np.where(held_out, -1, codes)
        if not held_out.any() or len(np.unique(rest[rest >= 0])) < 2:
            held_out, rest = codes >= 0, codes
        found, features = self.of(matrix, rest, n_labels, block)
        weights = np.zeros((matrix.n_features, n_labels), np.float32)
        weights[features] = found.found.T
        tokens = np.flatnonzero(held_out)
        scores = np.asarray(matrix.rows(tokens).project(weights, self.threads))
        if block is not None:
            scores = scores + matmul(block.values[tokens], found.block.T, threads=self.threads)
        trained = np.unique(rest[rest >= 0])
        return HeldOut(scores.astype(np.float64), codes[tokens], tokens, trained)
