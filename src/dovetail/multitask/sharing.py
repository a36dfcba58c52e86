"""A target beside shared directions, and how much these count: chosen on text that was held out.

Directions are features Theta x beside the others, with the same penalty on their weights v. What
counts is how large they are: at a sharing of 1 their squares sum to as much as those of all other
features, at 0 there are none, and a linear tagger is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.multitask.alternation import Alternation
from dovetail.multitask.calibration import probabilities
from dovetail.multitask.learned import Placed
from dovetail.multitask.matrix import Classifiers, Codes, Doubles, Matrix, Singles
from dovetail.multitask.training import COARSE, Block, HeldOut, Training
from dovetail.numeric import log, matmul

OF_OWN_PARTS = (0.3,)  # parts know nothing that the whole does not
OF_OTHER_TASKS = (1.0, 0.3)  # more of it takes longer, and gains little
LEAST = 1e-3  # a probability: what is less likely costs no more


Shared = Alternation | Placed


@dataclass(frozen=True)
class Directions:
    """Theta', [features x h], with a factor for each direction, [h], and what it makes of the
    target's tokens, [tokens x h]."""

    theta: Singles
    factors: Singles
    values: Singles


def free_directions(
    shared: Shared,
    matrix: Matrix,
    data: Corpus,
    codes: Codes,  # noqa: ARG001 - sizes do not matter
) -> Directions:
    """Directions as they are, for weights that are free."""
    values = shared.projected_corpus(matrix, data)
    return Directions(shared.theta, np.ones(values.shape[1], np.float32), values)


def weigh_directions(shared: Shared, matrix: Matrix, data: Corpus, codes: Codes) -> Directions:
    """Directions that together are as large as all features, each by how much the predictors share
    it: by its singular value."""
    values = shared.projected_corpus(matrix, data)
    tokens = np.flatnonzero(codes >= 0)
    features = matrix.rows(tokens).matrix()[2]
    factors = np.concatenate([np.array(own) for own in shared.singular_values])
    size = float(np.square(features, dtype=np.float64).sum())
    own = float(np.square(values[tokens] * factors, dtype=np.float64).sum())
    factors *= np.sqrt(size / own) if own > 0 else 0.0
    made = factors.astype(np.float32)
    return Directions(shared.theta, made, values * made)


@dataclass(frozen=True)
class Target:
    """A target's labels over the first tokens of a matrix, beside directions.

    A ``sharing`` of None leaves their weights free.
    """

    training: Training
    matrix: Matrix
    data: Corpus
    codes: Codes
    n_labels: int
    directions: Directions

    def train(self, sharing: float | None) -> tuple[Classifiers, npt.NDArray[np.uint32]]:
        """Its classifiers, and the features that they weigh."""
        return self.training.of(self.matrix, self.codes, self.n_labels, self._block(sharing))

    def held_out(self, sharing: float | None) -> HeldOut:
        """What a training on most sequences says of the others."""
        block = self._block(sharing)
        return self.training.held_out(self.matrix, self.data, self.codes, self.n_labels, block)

    def choose(self, candidates: Sequence[float]) -> tuple[float, HeldOut]:
        """The first of some sharings by which labels held out are likelier than without any, or
        else 0, and what was said of them."""
        trial = replace(self, training=self.training.coarser(COARSE))
        alone = surprises(trial.held_out(0.0)).mean()
        for sharing in candidates:
            shared = trial.held_out(sharing)
            if surprises(shared).mean() < alone:
                return sharing, shared
        return 0.0, self.held_out(0.0)

    def along_directions(self, found: Classifiers, sharing: float | None) -> Singles:
        """What the weights of directions make of the features, [features x labels]."""
        if sharing == 0:
            return np.zeros((len(self.directions.theta), self.n_labels), np.float32)
        weights = found.block * self.directions.factors * _root(sharing)
        return matmul(self.directions.theta, weights.T, threads=self.training.threads)

    def _block(self, sharing: float | None) -> Block | None:
        if sharing is None:
            return Block(self.directions.values)
        if sharing == 0:
            return None
        return Block(self.directions.values * _root(sharing), self.training.objective.penalty)


def _root(sharing: float | None) -> np.float32:
    return np.float32(1.0 if sharing is None else np.sqrt(sharing))


def surprises(own: HeldOut) -> Doubles:
    """Minus the logarithms of the probabilities of true labels, of those that were trained."""
    known = np.isin(own.codes, own.trained)
    shares = probabilities(own.scores[known], own.factor)
    true = shares[np.arange(len(shares)), own.codes[known]]
    return -log(np.maximum(true, LEAST))
