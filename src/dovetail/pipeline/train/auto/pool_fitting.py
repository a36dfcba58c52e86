"""The weights of a pool and its recalibration, fitted on text that the members have not seen.

This is stacked generalisation (Wolpert 1992) for sequences: the true labels of cross-fitted parts
are made as likely as possible under

    score = sum over members k of w_k score_k  +  a bias for each label  +  one for each transition,

with penalties that draw each weight to its usual value, in proportion, and the biases to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import add
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.potentials import Potentials, Scores
from dovetail.chain.train.lbfgs import lbfgs
from dovetail.chain.train.objective import Precision
from dovetail.cores import count_cores
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.numeric import dot, exp, log
from dovetail.pipeline.layers.recalibrated import Correction
from dovetail.pipeline.train.held_out import HeldOut

STRENGTH = 10.0  # the penalty on squared biases of labels
ON_TRANSITIONS = 3.0  # the penalty on those of transitions, relative to that
ON_WEIGHTS = 0.5  # the penalty on the squared logarithm of a weight over its usual value
ROUNDS = 60
CLOSE = 1e-4  # the search ends when ten rounds improve the objective by 3 % of this

Ints = npt.NDArray[np.int64]
Members = Sequence[HeldOut]  # scores of one part of the text by each member of a pool


class FittedPool(NamedTuple):
    """Weights of the members, and what is added to their weighted scores."""

    weights: tuple[float, ...]
    correction: Correction

    def apply(self, scores: Sequence[Potentials]) -> Potentials:
        """The scores of the pool from those of its members."""
        pairs = zip(scores, self.weights, strict=True)
        return self.correction.apply(reduce(add, (one.scaled(w) for one, w in pairs)))


@dataclass(frozen=True)
class PoolPart:
    """What a pool is fitted on: scores of each member over some text, laid out for many
    evaluations, and how often labels and transitions occur there."""

    native: _native.PoolPart
    label_counts: Scores
    transition_counts: Scores
    true_scores: Scores  # of the true labels, by each member

    @classmethod
    def of(cls, members: Members, labels: tuple[str, ...]) -> PoolPart | None:
        """None where no sequence can be used: labels must be known, and allowed by all members."""
        corpus = members[0].corpus
        known = codes_of(corpus, members[0].label, labels)
        own = [member.scores.extended(labels) for member in members]
        forbidden = reduce(add, (one.scaled(0.0) for one in own))
        usable = _find_usable(forbidden, known, corpus.bounds)
        if not usable.any():
            return None
        lengths = np.diff(corpus.bounds)
        rows = np.flatnonzero(np.repeat(usable, lengths))
        bounds = np.concatenate([[0], np.cumsum(lengths[usable])])
        codes = known[rows]
        places = np.setdiff1d(np.arange(len(codes)), bounds[:-1])
        allowed = np.isfinite(forbidden.node[rows]).astype(np.uint8)
        between = _select(forbidden.transitions, rows)
        native = _native.PoolPart(len(labels), bounds, allowed.ravel(), between.ravel())
        scores = []
        for one in own:
            node, transitions = _finite(one.node[rows]), _finite(_select(one.transitions, rows))
            native.add(node.ravel(), transitions.ravel())
            of_labels = float(node[np.arange(len(codes)), codes].sum())
            scores.append(of_labels + float(_transition_scores(transitions, codes, places).sum()))
        transition_counts = np.zeros((len(labels), len(labels)))
        np.add.at(transition_counts, (codes[places - 1], codes[places]), 1)
        label_counts = np.bincount(codes, minlength=len(labels)).astype(float)
        return cls(native, label_counts, transition_counts, np.array(scores))


def fit_pool(
    parts: Sequence[PoolPart],
    usual: Sequence[float],
    labels: tuple[str, ...],
    *,
    strength: float = STRENGTH,
    fixed: bool = False,
    start: FittedPool | None = None,
    rounds: int = ROUNDS,
    threads: int | None = None,
) -> FittedPool:
    """Weights and biases under which the true labels of some parts are most likely.

    ``usual`` are the weights without any evidence; ``fixed`` leaves them as they are, and fits the
    biases only. ``start`` is where the search begins.
    """
    if strength <= 0:
        raise DataError(f"strength is {strength}; give a number above 0")
    if not parts:
        raise DataError("there is no sequence to recalibrate on: all labels of one must be known")
    objective = _Objective(parts, np.array(usual, float), len(labels), strength, fixed, threads)
    begin = np.zeros(objective.size) if start is None else objective.position(start)
    found = begin
    for step in islice(lbfgs(objective, begin, tolerance=CLOSE, convex=False), rounds + 1):
        found = step.weights
    weights, bias, transitions = objective.parameters(found)
    return FittedPool(tuple(weights.tolist()), Correction(labels, bias, transitions))


class _Objective:
    """How unlikely the labels of some parts are, with the penalties; the logarithms of the weights
    over the usual ones come first, then the biases of labels and of transitions."""

    precision: Precision = "double"

    def __init__(
        self,
        parts: Sequence[PoolPart],
        usual: Scores,
        n: int,
        strength: float,
        fixed: bool,
        threads: int | None,
    ) -> None:
        self.usual, self.n, self.fixed = usual, n, fixed
        self.threads = threads or count_cores()
        self.parts = [part.native for part in parts]
        self.label_counts = reduce(add, (part.label_counts for part in parts))
        self.transition_counts = reduce(add, (part.transition_counts for part in parts))
        self.true_scores = reduce(add, (part.true_scores for part in parts))
        self.c2 = min(strength, ON_WEIGHTS)
        self.penalty = np.concatenate(
            [
                np.full(len(usual), ON_WEIGHTS),
                np.full(n, strength),
                np.full(n * n, ON_TRANSITIONS * strength),
            ]
        )

    @property
    def size(self) -> int:
        return len(self.penalty)

    def parameters(self, x: Scores) -> tuple[Scores, Scores, Scores]:
        """Weights, and biases of labels and of transitions."""
        k = len(self.usual)
        return self.usual * exp(x[:k]), x[k : k + self.n], x[k + self.n :].reshape(self.n, self.n)

    def position(self, pool: FittedPool) -> Scores:
        """The opposite of `parameters`."""
        ratios = log(np.array(pool.weights) / self.usual)
        return np.concatenate([ratios, pool.correction.bias, pool.correction.transitions.ravel()])

    def __call__(self, x: Scores) -> tuple[float, Scores]:
        weights, bias, of_pairs = self.parameters(x)
        log_z, scores, labels, transitions = _native.expect_pool(
            self.parts, weights, bias, of_pairs.ravel(), self.threads
        )
        value = dot(self.penalty, x * x) + log_z - dot(weights, self.true_scores)
        value -= dot(self.label_counts, bias) + dot(self.transition_counts, of_pairs)
        of_weights = np.zeros(len(weights)) if self.fixed else scores - self.true_scores
        of_transitions = transitions - self.transition_counts.ravel()
        gradient = [weights * of_weights, labels - self.label_counts, of_transitions]
        return value, np.concatenate(gradient) + 2 * self.penalty * x

    def switch_to_double(self) -> None:
        """It always is."""


def codes_of(corpus: Corpus, label: str, labels: tuple[str, ...]) -> Ints:
    """The numbers of a column's labels, -1 where they are missing or unknown."""
    column = corpus.column(label)
    numbers = {name: k for k, name in enumerate(labels)}
    table = np.array([numbers.get(level, -1) for level in column.levels] + [-1])
    found: Ints = table[column.codes]
    return found


def _finite(scores: Scores) -> Scores:
    return np.where(np.isneginf(scores), 0.0, scores)


def _find_usable(forbidden: Potentials, codes: Ints, bounds: Ints) -> npt.NDArray[np.bool_]:
    """Which sequences have labels that are all known and of a finite score: a model of some of the
    text may have constraints that the rest breaks."""
    tokens = np.arange(len(codes))
    scores = np.where(codes < 0, -np.inf, forbidden.node[tokens, codes])
    places = np.setdiff1d(tokens, bounds[:-1])
    scores[places] += _transition_scores(forbidden.transitions, codes, places)
    lengths = np.diff(bounds)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    totals = np.bincount(owners, scores, len(lengths))
    usable: npt.NDArray[np.bool_] = (lengths > 0) & np.isfinite(totals)
    return usable


def _transition_scores(transitions: Scores, codes: Ints, places: Ints) -> Scores:
    before, after = codes[places - 1], codes[places]
    each = (places, before, after) if transitions.ndim == 3 else (before, after)
    found: Scores = transitions[each]
    return found


def _select(transitions: Scores, rows: Ints) -> Scores:
    """Those into some tokens, where tokens have their own."""
    return transitions if transitions.ndim == 2 else transitions[rows]
