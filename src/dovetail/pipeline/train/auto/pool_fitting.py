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
from itertools import islice, pairwise
from operator import add
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Potentials, Scores
from dovetail.chain.train.lbfgs import lbfgs
from dovetail.chain.train.objective import Precision
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.grid import Grid
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


def fit_pool(
    parts: Sequence[Members],
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
    usable = [part for part in (_Part.of(members, labels) for members in parts) if part is not None]
    if not usable:
        raise DataError("there is no sequence to recalibrate on: all labels of one must be known")
    objective = _Objective(usable, np.array(usual, float), len(labels), strength, fixed, threads)
    begin = np.zeros(objective.size) if start is None else objective.position(start)
    found = begin
    for step in islice(lbfgs(objective, begin, tolerance=CLOSE, convex=False), rounds + 1):
        found = step.weights
    weights, bias, transitions = objective.parameters(found)
    return FittedPool(tuple(weights.tolist()), Correction(labels, bias, transitions))


def is_usable(members: Members, labels: tuple[str, ...]) -> bool:
    """Whether a pool can be fitted on a part: one sequence at least has all its labels."""
    return _Part.of(members, labels) is not None


@dataclass(frozen=True)
class _Part:
    """Finite scores of each member, what is forbidden, and how often labels and transitions
    occur."""

    nodes: Sequence[Scores]
    member_transitions: Sequence[Scores]
    forbidden: Potentials
    bounds: Ints
    label_counts: Scores
    transition_counts: Scores
    scores: Scores  # of the true labels, by each member

    @classmethod
    def of(cls, members: Members, labels: tuple[str, ...]) -> _Part | None:
        """None where no sequence can be used: labels must be known, and allowed by all members."""
        corpus = members[0].corpus
        known = codes_of(corpus, members[0].label, labels)
        own = [member.scores.extended(labels) for member in members]
        forbidden = reduce(add, (one.scaled(0.0) for one in own))
        usable = [
            s
            for s, (a, b) in enumerate(pairwise(corpus.bounds.tolist()))
            if a < b and (known[a:b] >= 0).all() and _is_allowed(forbidden, known, a, b)
        ]
        if not usable:
            return None
        rows = np.concatenate([np.arange(*corpus.bounds[s : s + 2]) for s in usable])
        lengths = np.diff(corpus.bounds)[usable]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        codes = known[rows]
        places = np.setdiff1d(np.arange(len(codes)), bounds[:-1])
        nodes = [_finite(one.node[rows]) for one in own]
        transitions = [_finite(_select(one.transitions, rows)) for one in own]
        transition_counts = np.zeros((len(labels), len(labels)))
        np.add.at(transition_counts, (codes[places - 1], codes[places]), 1)
        label_counts = np.bincount(codes, minlength=len(labels)).astype(float)
        scores = [
            float(node[np.arange(len(codes)), codes].sum())
            + _transition_score(own_transitions, codes, places)
            for node, own_transitions in zip(nodes, transitions, strict=True)
        ]
        limits = Potentials(labels, forbidden.node[rows], _select(forbidden.transitions, rows))
        counts = label_counts, transition_counts
        return cls(nodes, transitions, limits, bounds, *counts, np.array(scores))

    def grid(self, weights: Scores, bias: Scores, transitions: Scores) -> Grid:
        """The pool's scores of this part."""
        node, between = self.forbidden.node + bias, self.forbidden.transitions + transitions
        for k, weight in enumerate(weights):
            node = node + weight * self.nodes[k]
            own = weight * self.member_transitions[k]
            between = (between[None] if own.ndim > between.ndim else between) + own
        return Grid([node], [between], bounds=self.bounds)


class _Objective:
    """How unlikely the labels of some parts are, with the penalties; the logarithms of the weights
    over the usual ones come first, then the biases of labels and of transitions."""

    precision: Precision = "double"

    def __init__(
        self,
        parts: Sequence[_Part],
        usual: Scores,
        n: int,
        strength: float,
        fixed: bool,
        threads: int | None,
    ) -> None:
        self.parts, self.usual, self.n, self.fixed, self.threads = parts, usual, n, fixed, threads
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
        value = dot(self.penalty, x * x)
        of_weights = np.zeros(len(weights))
        of_labels, of_transitions = np.zeros(self.n), np.zeros((self.n, self.n))
        for part in self.parts:
            expected = part.grid(weights, bias, of_pairs).marginals("exact", threads=self.threads)
            labels, transitions = expected.labels[0], expected.transitions[0]
            value += float(expected.log_z.sum()) - dot(weights, part.scores)
            value -= dot(part.label_counts, bias) + dot(part.transition_counts, of_pairs)
            for k in range(0 if self.fixed else len(weights)):
                each = (
                    transitions
                    if part.member_transitions[k].ndim == transitions.ndim
                    else _sum(transitions)
                )
                of_weights[k] += dot(labels, part.nodes[k]) + dot(each, part.member_transitions[k])
                of_weights[k] -= part.scores[k]
            of_labels += labels.sum(axis=0) - part.label_counts
            of_transitions += _sum(transitions) - part.transition_counts
        gradient = np.concatenate([weights * of_weights, of_labels, of_transitions.ravel()])
        return value, gradient + 2 * self.penalty * x

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


def _is_allowed(own: Potentials, codes: Ints, a: int, b: int) -> bool:
    """Whether a sequence's labels have a finite score: a model of some of the text may have
    constraints that the rest breaks."""
    tokens, places = np.arange(a, b), np.arange(a + 1, b)
    score = own.node[tokens, codes[a:b]].sum() + _transition_score(own.transitions, codes, places)
    return bool(np.isfinite(score))


def _transition_score(transitions: Scores, codes: Ints, places: Ints) -> float:
    before, after = codes[places - 1], codes[places]
    each = (places, before, after) if transitions.ndim == 3 else (before, after)
    return float(transitions[each].sum())


def _select(transitions: Scores, rows: Ints) -> Scores:
    """Those into some tokens, where tokens have their own."""
    return transitions if transitions.ndim == 2 else transitions[rows]


def _sum(transitions: Scores) -> Scores:
    return transitions if transitions.ndim == 2 else transitions.sum(axis=0)
