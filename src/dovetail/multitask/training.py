"""The training of a linear tagger over a matrix, with shared directions or without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.multitask.calibration import calibrate_factor
from dovetail.multitask.matrix import Classifiers, Codes, Matrix, Objective, Singles, classifiers
from dovetail.numeric import matmul

HELD_OUT = 5  # every so many sequences one is held out for calibration


@dataclass(frozen=True)
class Training:
    """How classifiers are trained. A ``block``, [tokens x h], has dense features of the first
    tokens of a matrix, whose weights are free."""

    objective: Objective
    min_count: int
    threads: int

    def of(
        self, matrix: Matrix, codes: Codes, n_labels: int, block: Singles | None = None
    ) -> tuple[Classifiers, npt.NDArray[np.uint32]]:
        """Classifiers of the first tokens of a matrix, those that have a code, and the features
        that they weigh."""
        tokens = np.flatnonzero(codes >= 0)
        rows = matrix.rows_to_learn(tokens, self.min_count)
        own = None if block is None else block[tokens]
        labels = range(n_labels)
        found = classifiers(
            rows, codes[tokens], labels, self.objective, block=own, threads=self.threads
        )
        return found, rows.features()

    def factor(
        self,
        matrix: Matrix,
        data: Corpus,
        codes: Codes,
        n_labels: int,
        block: Singles | None = None,
    ) -> float:
        """The factor of probabilities, by sequences that a training on the others leaves out; where
        there are too few, by those it was trained on."""
        out = np.arange(len(data)) % HELD_OUT == HELD_OUT - 1
        held_out = np.repeat(out, np.diff(data.bounds)) & (codes >= 0)
        rest = np.where(held_out, -1, codes)
        if not held_out.any() or len(np.unique(rest[rest >= 0])) < 2:
            held_out, rest = codes >= 0, codes
        found, features = self.of(matrix, rest, n_labels, block)
        weights = np.zeros((matrix.n_features, n_labels), np.float32)
        weights[features] = found.found.T
        rows = matrix.rows(np.flatnonzero(held_out))
        scores = np.asarray(rows.project(weights, self.threads))
        if block is not None:
            scores = scores + matmul(block[held_out], found.block.T, threads=self.threads)
        return calibrate_factor(scores.astype(np.float64), codes[held_out])
