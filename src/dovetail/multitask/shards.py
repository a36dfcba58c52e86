"""A linear tagger from a corpus on disk: all its classifiers at once, by L-BFGS over parts.

Each round goes through all parts, here or on the workers of a cluster, and adds up their gradients
as whole numbers, so that the weights have the same bits wherever that was done.

Beside shared directions a predictor is u = w + Theta' v. Parts are given u alone: the gradient by
w is that by u, and the gradient by v is Theta times it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Multiples, WholeNumbers
from dovetail.chain.train.lbfgs import lbfgs
from dovetail.chain.train.objective import Precision
from dovetail.cores import count_cores
from dovetail.errors import TrainingError
from dovetail.multitask.calibration import calibrate_factor
from dovetail.multitask.matrix import MAX_ITERATIONS, Codes, Doubles, Loss, Objective, Singles
from dovetail.multitask.shard_rows import OPEN, CorpusRows
from dovetail.numeric import matmul

SAMPLE = 200_000  # tokens held out that tell how far scores can be trusted
STEEPEST = {"modified_huber": 4.0, "logistic": 1.0, "squared_hinge": 2.0**20}  # slope of a loss


class Learned(NamedTuple):
    """What a training has found: weights [features x labels] of the features of a data set."""

    data: _native.Dataset
    weights: Singles
    labels: list[str]
    factor: float | None
    objective: float
    rounds: int


@dataclass(frozen=True)
class Found:
    """What a minimisation has found: the predictors u, [features x classes], the weights v of
    directions, [h x classes], all of these as one vector, the objective and the rounds."""

    predictors: Doubles
    along: Doubles
    vector: Doubles
    objective: float
    rounds: int


@dataclass(frozen=True)
class Asked:
    """Which problems are to be solved over which rows: a class for each of some labels, by number,
    against all others; all rows, those held out, or the rest; beside directions Theta',
    [features x h], or none."""

    labels: tuple[int, ...]
    held_out: bool | None = None
    theta: Doubles | None = None

    def codes(self, codes: Codes, n_labels: int) -> Codes:
        """Labels as numbers of classes; those of no class have numbers beyond them."""
        table = np.full(n_labels + 1, len(self.labels), np.int32)
        table[list(self.labels)] = np.arange(len(self.labels))
        table[-1] = -1
        found: Codes = table[codes]
        return found


class Solver:
    """The training of classifiers over the rows of a corpus on disk."""

    def __init__(self, rows: CorpusRows) -> None:
        self.rows = rows

    def train(self, objective: Objective, *, calibrate: bool) -> Learned:
        """A classifier for each label, first without the sequences held out if their scores are
        wanted to tell how far such can be trusted."""
        rows, every = self.rows, tuple(range(len(self.rows.labels)))
        factor, start, rounds = None, None, 0
        if calibrate:
            on, apart = self.hold_out()
            trial = self.minimise(Asked(every, on), objective)
            factor = calibrate_factor(*self.score(trial.predictors, apart))
            start, rounds = trial.vector, trial.rounds
        found = self.minimise(Asked(every), objective, start)
        weights = found.predictors.astype(np.float32)
        rounds += found.rounds
        return Learned(rows.data, weights, rows.labels, factor, found.objective, rounds)

    def hold_out(self) -> tuple[bool | None, bool | None]:
        """Rows to train on, and those whose scores then tell something; all where there are too few
        of either."""
        told = self.rows.count(True).any() and np.count_nonzero(self.rows.count(False)) >= 2
        return (False, True) if told else (None, None)

    def minimise(self, asked: Asked, objective: Objective, start: Doubles | None = None) -> Found:
        """Train classifiers, from a vector that an earlier training has found."""
        loss = ShardLoss(self.rows, asked, objective)
        first = np.zeros(loss.size) if start is None else start
        for rounds, step in enumerate(lbfgs(loss, first, tolerance=objective.tolerance)):
            if step.finished or rounds >= MAX_ITERATIONS:
                break
        predictors, along = loss.predictors(step.weights)
        return Found(predictors, along, step.weights, float(step.objective or 0.0), rounds)

    def score(
        self, predictors: Doubles, held_out: bool | None, size: int = SAMPLE
    ) -> tuple[Doubles, Codes]:
        """What predictors say of so many of the rows, spread over the text, and their labels."""
        rows = self.rows
        every = max(1, -(-int(rows.count(held_out).sum()) // size))
        given = (predictors, rows.folder, held_out, every)
        found = list(rows.executor.each("scores", score_rows, rows.parts, *given))
        scores, codes = (np.concatenate(part) for part in zip(*found, strict=True))
        return scores, codes

    def square(self, vectors: Doubles) -> float:
        """The sum of the squares of what vectors [features x any] make of all rows with labels."""
        rows = self.rows
        found = rows.executor.each("scores", square_scores, rows.parts, vectors, rows.folder)
        return sum(found)


class ShardLoss:
    """The mean loss of some classifiers together, and their penalty, as a function of their weights
    w [features x classes] and, beside directions, v [h x classes]. Rare features, which only
    directions weigh, have no w."""

    def __init__(self, rows: CorpusRows, asked: Asked, objective: Objective) -> None:
        self.rows, self.asked = rows, asked
        self.c2 = objective.penalty
        self.precision: Precision = "double"
        self.loss: Loss = objective.loss
        self.n = max(int(rows.count(asked.held_out).sum()), 1)
        self.shape = (rows.n_features, len(asked.labels))
        self.threads = count_cores()
        self._unit = Multiples(STEEPEST[self.loss] * rows.reach)

    @property
    def size(self) -> int:
        h = 0 if self.asked.theta is None else self.asked.theta.shape[1]
        return (self.shape[0] + h) * self.shape[1]

    def switch_to_double(self) -> None:
        """All is in double precision."""

    def predictors(self, vector: Doubles) -> tuple[Doubles, Doubles]:
        """u and v."""
        n = self.shape[0] * self.shape[1]
        own, along = vector[:n].reshape(self.shape), vector[n:].reshape(-1, self.shape[1])
        if self.asked.theta is not None:
            own = own + matmul(self.asked.theta, along, threads=self.threads)
        return own, along

    def __call__(self, w: Doubles, /) -> tuple[float, Doubles]:
        rows, asked = self.rows, self.asked
        sums = np.zeros(self.shape, np.int64)
        shared = (rows.folder, self._unit.exponent, self.loss)
        narrow = Asked(asked.labels, asked.held_out)
        values = rows.executor.add_up(
            "classifiers", pass_over_part, rows.parts, [sums], self.predictors(w)[0], *shared,
            narrow, len(rows.labels),
        )  # fmt: skip
        slope = self._unit.to_real(sums) / self.n
        parts = [np.where(rows.frequent[:, None], slope, 0.0).ravel()]
        if asked.theta is not None:
            parts.append(matmul(asked.theta.T, slope, threads=self.threads).ravel())
        gradient = np.concatenate(parts) + 2.0 * self.c2 * w
        return sum(values) / self.n + self.c2 * float(np.sum(w * w)), gradient


def pass_over_part(
    number: int,
    sums: Sequence[WholeNumbers],
    predictors: Doubles,
    folder: str,
    exponent: int,
    loss: Loss,
    asked: Asked,
    n_labels: int,
) -> float:
    """The losses of a part, and their gradient added to that of the others."""
    part = OPEN.get(folder, number)
    own = predictors[part.place]
    gradient = np.zeros(own.shape)
    codes = asked.codes(part.codes_of(asked.held_out), n_labels)
    value: float = _native.linear_pass(*part.features, codes, own, gradient, loss)
    try:
        _native.add_multiples(sums[0], part.place, gradient, exponent)
    except OverflowError:
        raise TrainingError(
            f"part {number}: sums have become infinite: a feature has values too large to learn "
            "from, or the penalty is too small"
        ) from None
    return value


def score_rows(
    number: int, w: Doubles, folder: str, held_out: bool | None, every: int
) -> tuple[Doubles, Codes]:
    """What predictors say of every so many of a part's chosen rows, and their labels."""
    part = OPEN.get(folder, number)
    codes = part.codes_of(held_out)
    scores = _native.linear_scores(*part.features, w[part.place])
    some = np.flatnonzero(codes >= 0)[::every]
    return scores[some], codes[some]


def square_scores(number: int, vectors: Doubles, folder: str) -> float:
    """The sum of the squares of what vectors make of a part's rows with labels."""
    part = OPEN.get(folder, number)
    scores: npt.NDArray[np.float64] = _native.linear_scores(*part.features, vectors[part.place])
    return float(np.square(scores[part.codes >= 0]).sum())
