"""Alternating structure optimisation: classifiers by turns with what they share.

A predictor is u = w + Theta' v. In each round every problem is trained by itself with Theta fixed;
then Theta is made of the h main directions of all predictors: with U = [u_1 ... u_m], the left
singular vectors of U. No matrix of the size of U is ever held. A w is kept as coefficients of its
tokens (w = X'a), and the singular vectors follow from the m x m matrix U'U.

Where tasks are parts of one text, Theta has seen the labels of each: along it, tokens of a part
look easier than others will. What a part itself has brought to Theta is therefore left out where
its own tokens are projected.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.training import Hooks, run_rounds
from dovetail.base.training import Round as FinishedRound
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.multitask.auxiliary import AuxiliaryTask
from dovetail.multitask.matrix import Doubles, Matrix, Objective, Singles, classifiers
from dovetail.numeric import eigh, matmul

logger = logging.getLogger(__name__)

AT_ONCE = 4  # directions whose vectors are held together
FEW = 1 << 16  # features that are turned together
NOISE = 1e-3  # of the largest singular value: products in single precision tell no less
Directions = npt.NDArray[np.float32]  # Theta', [features x h]


@dataclass(frozen=True)
class Round:
    """What a round came to: the mean objective of its problems, the singular values of their
    predictors (of each group), and how far the shared subspace has turned, from 0 (not at all) to
    1 (to something new)."""

    number: int
    objective: float
    singular_values: list[list[float]]
    change: float


@dataclass
class Step:
    """A round as the training loop sees it; Theta itself is changed in place."""

    objective: float
    singular_values: list[list[float]]
    change: float
    finished: str | None


def report_round(done: FinishedRound[Step]) -> Round:
    """A round as it is kept."""
    step = done.step
    logger.info(
        "round %d: mean objective %.5f, change %.4f", done.number, step.objective, step.change
    )
    return Round(done.number, step.objective, step.singular_values, step.change)


@dataclass
class Part:
    """One task's tokens, and the classifiers of its labels in the current round, by coefficients
    [problems x rows]; ``share`` are those of what it has brought to Theta, [directions x rows]."""

    rows: _native.LinearRows
    task: AuxiliaryTask
    tokens: npt.NDArray[np.int64]
    problems: slice
    coefficients: Singles = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    share: Singles = field(default_factory=lambda: np.zeros((0, 0), np.float32))


class Alternation:
    """Shared structure of auxiliary tasks over one matrix.

    The penalty is meant for so many tokens as ``n_tokens``: that of a task with fewer is stronger,
    as the sum of its losses is smaller. By default it is the same for all. ``groups`` has a number
    for each feature: directions are found for each group by itself. By default all features are
    one group. Without ``leave_own_out`` tokens of a part are projected with what it has brought.
    """

    def __init__(
        self,
        matrix: Matrix,
        tasks: Sequence[AuxiliaryTask],
        h: int,
        objective: Objective,
        *,
        n_tokens: int | None = None,
        min_count: int = 1,
        groups: Callable[[], npt.NDArray[np.int64]] | None = None,
        leave_own_out: bool = True,
        threads: int = 1,
    ) -> None:
        if not tasks:
            raise DataError("there are no auxiliary tasks to learn from: give at least one")
        self.objective, self.n_tokens, self.h, self.threads = objective, n_tokens, h, threads
        self.leave_own_out = leave_own_out
        self.parts: list[Part] = []
        firsts = [matrix.add(task.corpus, task.hidden) for task in tasks]  # all features are known
        for task, first in zip(tasks, firsts, strict=True):
            tokens = np.flatnonzero(task.codes >= 0)
            rows = matrix.rows_to_learn(first + tokens, min_count)
            before = self.n_problems
            problems = slice(before, before + len(task.positives))
            self.parts.append(Part(rows, task, tokens, problems))
        if not 1 <= h <= self.n_problems:
            raise DataError(
                f"h is {h}, but the auxiliary tasks make {self.n_problems} problems: give h from "
                f"1 to {self.n_problems}, or more tasks"
            )
        self.groups = None if groups is None else groups()
        self.n_groups = 1 if self.groups is None else int(self.groups.max()) + 1
        self.theta: Directions = np.zeros((matrix.n_features, h * self.n_groups), np.float32)
        self.singular_values: list[list[float]] = []  # of the latest round, by groups
        self._started = False

    @property
    def n_problems(self) -> int:
        return self.parts[-1].problems.stop if self.parts else 0

    def run(self, rounds: int, least_change: float) -> list[Round]:
        """So many rounds, or fewer if the structure no longer changes."""
        hooks: Hooks[Step, Round] = Hooks()
        outcome = run_rounds(self._steps(least_change), report_round, hooks, limit=rounds)
        if outcome.interrupted:
            raise KeyboardInterrupt  # Theta may be half changed
        return outcome.history

    def _steps(self, least_change: float) -> Iterator[Step]:
        while True:
            mean_objective, block = self._train()
            values, change = self._turn(block)
            finished = "the structure hardly changes any more" if change < least_change else None
            yield Step(mean_objective, values, change, finished)

    def _train(self) -> tuple[float, Doubles]:
        """All problems, each by itself; the mean objective, and their v, [h x problems]."""
        total = 0.0
        block = np.zeros((self.theta.shape[1], self.n_problems))
        for part in self.parts:
            task, n = part.task, len(part.tokens)
            penalty = self.objective.penalty * max(1.0, (self.n_tokens or n) / n)
            found = classifiers(
                part.rows, task.codes[part.tokens], task.positives,
                replace(self.objective, penalty=penalty),
                block=self.projected(part) if self._started else None,
                keep_weights=False, threads=self.threads,
            )  # fmt: skip
            part.coefficients = found.found
            total += float(found.objectives.sum())
            if self._started:
                block[:, part.problems] = found.block.T
        return total / self.n_problems, block

    def projected(self, part: Part) -> Singles:
        """Theta x of a task's tokens, [rows x directions], of parts without their own share."""
        found = np.asarray(part.rows.project(self.theta, self.threads))
        if not self._leaves_out(part, part.task.corpus):
            return found
        n = self._n_parts(part.task.corpus)
        return (
            (found - self._own(part)) * np.float32(n / (n - 1)) if n > 1 else np.zeros_like(found)
        )

    def _own(self, part: Part) -> Singles:
        """What a part's share makes of its own tokens, [rows x directions]."""
        h = self.theta.shape[1]
        found = np.zeros((part.rows.n_rows, h), np.float32)
        for first in range(0, h, AT_ONCE):
            some = slice(first, min(first + AT_ONCE, h))
            own = self._combined(part, part.share[some])
            self._mask(own, np.arange(h)[some])
            found[:, some] = part.rows.project(own, self.threads)
        return found

    def _leaves_out(self, part: Part, corpus: Corpus) -> bool:
        """Whether tokens of a corpus are projected without a part's share."""
        return self.leave_own_out and part.task.is_part and part.task.corpus is corpus

    def _n_parts(self, corpus: Corpus) -> int:
        return sum(self._leaves_out(part, corpus) for part in self.parts)

    def projected_corpus(self, matrix: Matrix, corpus: Corpus) -> Singles:
        """Theta x of the tokens of a corpus of the matrix, [tokens x directions]; of those that are
        in a part, without its share."""
        first = matrix.add(corpus)
        rows = matrix.rows(np.arange(first, first + corpus.n_tokens))
        found = np.asarray(rows.project(self.theta, self.threads))
        n, seen = self._n_parts(corpus), np.zeros(len(found), np.int64)
        for part in self.parts:
            if self._leaves_out(part, corpus):
                found[part.tokens] -= self._own(part)
                seen[part.tokens] += 1
        scale = np.where(seen < n, n / np.maximum(1, n - seen), 0.0) if n else np.ones(len(found))
        return found * scale[:, None].astype(np.float32)

    def _turn(self, block: Doubles) -> tuple[list[list[float]], float]:
        """The main directions of all predictors, in place of the ones so far."""
        inner, onto = self._products()
        mixing = np.zeros((self.n_problems, self.theta.shape[1]))
        turned = np.zeros((self.theta.shape[1], self.theta.shape[1]))
        values, kept = [], 0.0
        for g in range(self.n_groups):
            own = slice(g * self.h, (g + 1) * self.h)
            cross = matmul(onto[own].T, block[own], threads=self.threads)
            square = matmul(block[own].T, block[own], threads=self.threads)
            squares, vectors = eigh(inner[g] + cross + cross.T + square, threads=self.threads)
            squares, vectors = squares[: -self.h - 1 : -1], vectors[:, : -self.h - 1 : -1]
            singular = np.sqrt(np.maximum(squares, 0))
            some = singular > NOISE * max(float(singular[0]), 1e-30)
            inverse = np.where(some, 1 / np.where(some, singular, 1), 0)
            mixing[:, own] = vectors * inverse
            turned[own, own] = matmul(block[own], mixing[:, own])
            overlap = matmul(onto[own], mixing[:, own]) + turned[own, own]
            kept += float((overlap**2).sum()) / max(1, int(some.sum())) / self.n_groups
            values.append([float(value) for value in singular])
            if not some.all():
                logger.info(
                    "the predictors have %d directions, so that %d of h are empty",
                    int(some.sum()), self.h - int(some.sum()),
                )  # fmt: skip
        self._replace(mixing, turned)
        self.singular_values = values
        change = max(0.0, 1 - kept) if self._started else 1.0
        self._started = True
        return values, change

    def _products(self) -> tuple[Doubles, Doubles]:
        """W'W of each group, [groups x problems x problems], and Theta W, [h x problems]."""
        inner = _native.linear_gram(
            [part.rows for part in self.parts],
            [part.coefficients for part in self.parts],
            np.zeros(0, np.int64) if self.groups is None else self.groups,
            self.n_groups,
            self.threads,
        )
        onto = np.zeros((self.theta.shape[1], self.n_problems))
        for part in self.parts if self._started else []:
            found = part.rows.project(self.theta, self.threads)
            onto[:, part.problems] = matmul(part.coefficients, found, threads=self.threads).T
        return np.asarray(inner), onto

    def _replace(self, mixing: Doubles, turned: Doubles) -> None:
        """Theta' = W mixing + Theta' turned."""
        to, by = turned.astype(np.float32), mixing.astype(np.float32)
        for first in range(0, len(self.theta), FEW) if self._started else []:
            some = slice(first, first + FEW)
            self.theta[some] = matmul(self.theta[some], to, threads=self.threads)
        for part in self.parts:
            sums = matmul(by[part.problems].T, part.coefficients, threads=self.threads)
            part.coefficients = sums[:0]  # it is done, and takes as much
            part.rows.add_combinations(sums, self.theta, self.threads)
            if self._leaves_out(part, part.task.corpus):
                own = matmul(to.T, part.share, threads=self.threads) if self._started else 0
                part.share = sums + own
        self._mask(self.theta, np.arange(self.theta.shape[1]))

    def _combined(self, part: Part, coefficients: Singles) -> Singles:
        """Vectors that sums of a part's rows make, [features x vectors]."""
        found = np.zeros((len(self.theta), len(coefficients)), np.float32)
        part.rows.add_combinations(np.ascontiguousarray(coefficients), found, self.threads)
        return found

    def _mask(self, vectors: Singles, directions: npt.NDArray[np.int64]) -> None:
        """Leave of vectors, [features x directions], the features of each direction's group."""
        if self.groups is not None:
            vectors[self.groups[:, None] != directions // self.h] = 0
