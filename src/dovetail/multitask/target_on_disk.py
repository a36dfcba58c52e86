"""A target on disk beside shared directions, and how much these count, as `sharing` has it for a
target in memory. The directions stand here; the parts of the text see predictors u = w + Theta' v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dovetail import _native
from dovetail.chain.train.shards.agreement import unite
from dovetail.cores import count_cores
from dovetail.multitask.calibration import calibrate_factor
from dovetail.multitask.learned import Learned
from dovetail.multitask.matrix import Codes, Doubles, Objective, Singles
from dovetail.multitask.shard_rows import CorpusRows
from dovetail.multitask.shards import Asked, Found, Solver
from dovetail.multitask.sharing import surprises
from dovetail.multitask.training import COARSE, HeldOut
from dovetail.numeric import matmul


@dataclass(frozen=True)
class Trained:
    """Predictors [features x labels] of the features of a data set, how sure they are, how much
    directions count, and how the training went."""

    data: _native.Dataset
    predictors: Singles
    factor: float | None
    sharing: float
    found: Found


class DiskTarget:
    """A target's labels over the rows of a corpus on disk, beside directions that have been
    learned: together as large as all features, each by how much the predictors share it."""

    def __init__(self, rows: CorpusRows, learned: Learned[Any], objective: Objective) -> None:
        self.solver, self.rows, self.objective = Solver(rows), rows, objective
        self.every = tuple(range(len(rows.labels)))
        self.data, (self._own, self._other) = unite([rows.data, learned.features])
        self._theta = np.zeros((self.data.n_features, learned.theta.shape[1]))
        self._theta[self._other] = learned.theta
        self._theta *= np.concatenate([np.array(own) for own in learned.singular_values])
        size = self.solver.square(self._theta[self._own])
        self._theta *= np.sqrt(rows.squares / size) if size > 0 else 0.0

    def train(self, sharing: float | None, candidates: Sequence[float], sure: bool) -> Trained:
        """The predictors; a sharing of None is chosen from the candidates on text held out."""
        on, apart = self.solver.hold_out()
        factor: float | None = None
        start: Doubles | None = None
        if sharing is None:
            sharing, factor = self._choose(candidates, on, apart)
        elif sure:
            trial = self._minimise(sharing, self.objective, on)
            factor, start = calibrate_factor(*self._score(trial, apart)), trial.vector
        found = self._minimise(sharing, self.objective, None, start)
        whole = np.zeros((self.data.n_features, len(self.every)))
        if sharing:
            theta = self._theta * np.sqrt(sharing)
            whole = matmul(theta, found.along, threads=count_cores())
        whole[self._own] = found.predictors
        predictors = whole.astype(np.float32)
        return Trained(self.data, predictors, factor if sure else None, sharing, found)

    def _choose(
        self, candidates: Sequence[float], on: bool | None, apart: bool | None
    ) -> tuple[float, float]:
        """The first of some sharings by which labels held out are likelier than without any, or
        else 0, and how sure its predictors are."""
        coarse = replace(self.objective, tolerance=max(self.objective.tolerance, COARSE))
        trained = np.flatnonzero(self.rows.count(on)).astype(np.int32)

        def held_out(found: Found) -> HeldOut:
            scores, codes = self._score(found, apart)
            return HeldOut(scores, codes, np.arange(len(codes)), trained)

        without = self._minimise(0.0, coarse, on)
        expected = surprises(held_out(without)).mean()
        for sharing in candidates:
            shared = held_out(self._minimise(sharing, coarse, on))
            if surprises(shared).mean() < expected:
                return sharing, shared.factor
        return 0.0, held_out(self._minimise(0.0, self.objective, on, without.vector)).factor

    def _minimise(
        self,
        sharing: float,
        objective: Objective,
        held_out: bool | None,
        start: Doubles | None = None,
    ) -> Found:
        theta = self._theta[self._own] * np.sqrt(sharing) if sharing else None
        return self.solver.minimise(Asked(self.every, held_out, theta), objective, start)

    def _score(self, found: Found, held_out: bool | None) -> tuple[Doubles, Codes]:
        return self.solver.score(found.predictors, held_out)
