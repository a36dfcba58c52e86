"""Recalibration: a few numbers that put right what regularised training leaves askew.

A CRF that was trained on little text prefers the common label: its precision is high, its recall
low. A bias for each label and a correction for each move, fitted by likelihood on scores of models
that have not seen the text (cross-fitted ones), repair that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.chain.lbfgs import lbfgs
from dovetail.chain.objective import Precision
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.grid import Grid
from dovetail.numeric import dot
from dovetail.pipeline.annotators import Latent
from dovetail.pipeline.decoding import reads_guesses
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.potentials import Potentials, Scores

MOVES = 3.0  # the penalty on moves, relative to that on labels
ROUNDS = 100
CLOSE = 1e-6  # how near the minimum is certain to be, relative to it, when the search ends


@dataclass(frozen=True)
class Correction:
    """What is added to scores: to each label's at each token, and to each move's."""

    labels: tuple[str, ...]
    bias: Scores
    moves: Scores

    def applied(self, made: Potentials) -> Potentials:
        """Scores with the correction."""
        own = made.ordered(self.labels)
        return Potentials(
            self.labels, own.node + self.bias, own.move + self.moves, own.ties, own.lags
        )

    def spec(self) -> dict[str, Any]:
        """Plain data, for a file."""
        return {
            "labels": list(self.labels),
            "bias": self.bias.tolist(),
            "moves": self.moves.tolist(),
        }

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Correction:
        labels = tuple(map(str, spec["labels"]))
        n = len(labels)
        bias, moves = np.array(spec["bias"], float), np.array(spec["moves"], float)
        if bias.shape != (n,) or moves.shape != (n, n) or not np.isfinite(bias).all():
            raise ValueError("a correction does not fit its labels")
        return cls(labels, bias, moves)


@dataclass(frozen=True, repr=False)
class Recalibrated:
    """An annotator whose scores are corrected."""

    annotator: Any
    correction: Correction
    labels_: list[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels_", list(self.correction.labels))

    @property
    def reads_(self) -> tuple[str, ...]:
        found: tuple[str, ...] = self.annotator.reads_
        return found

    def reads_guesses(self, latent: Latent) -> bool:
        """Whether the annotator does."""
        return reads_guesses(self.annotator, latent)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """The annotator's scores, corrected."""
        return self.correction.applied(self.annotator.potentials(corpus, latent))


def fit_correction(
    texts: Sequence[HeldOut],
    strength: float,
    labels: tuple[str, ...],
    start: Correction | None = None,
    *,
    threads: int | None = None,
) -> Correction:
    """The correction under which the true labels of some texts are most likely, given their scores.

    ``strength`` is the penalty on the squares of the corrections; ``start`` is where the search
    begins.
    """
    if strength <= 0:
        raise DataError(f"strength is {strength}; give a number above 0")
    n = len(labels)
    found_parts = [
        _Part.of(text.scores.extended(labels), text.corpus, text.label, labels) for text in texts
    ]
    parts = [part for part in found_parts if part is not None]
    if not parts:
        raise DataError("there is no sequence to recalibrate on: all labels of one must be known")

    begin = np.zeros(n + n * n)
    if start is not None:
        begin = np.concatenate([start.bias, start.moves.ravel()])
    steps = lbfgs(_Objective(parts, n, strength, threads), begin, tolerance=CLOSE)
    found = begin
    for step in islice(steps, ROUNDS + 1):
        found = step.weights
    return Correction(labels, found[:n], found[n:].reshape(n, n))


def can_be_used(text: HeldOut, labels: tuple[str, ...]) -> bool:
    """Whether a correction can be fitted on a text: one sequence at least has all its labels."""
    own = text.scores.extended(labels)
    return _Part.of(own, text.corpus, text.label, labels) is not None


@dataclass(frozen=True)
class _Part:
    """Scores of some text, and how often its labels and moves occur."""

    node: Scores
    move: Scores
    bounds: Any
    labels: Scores
    moves: Scores
    score: float  # of the labels, uncorrected

    @classmethod
    def of(
        cls, own: Potentials, corpus: Corpus, label: str, labels: tuple[str, ...]
    ) -> _Part | None:
        """None where no sequence can be used: labels must be known, and allowed by the model."""
        known = codes_of(corpus, label, labels)
        usable = [
            s
            for s, (a, b) in enumerate(pairwise(corpus.bounds.tolist()))
            if a < b and (known[a:b] >= 0).all() and _is_allowed(own, known, a, b)
        ]
        if not usable:
            return None
        rows = np.concatenate([np.arange(*corpus.bounds[s : s + 2]) for s in usable])
        lengths = np.diff(corpus.bounds)[usable]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        node, codes = own.node[rows], known[rows]
        move = own.move if own.move.ndim == 2 else own.move[rows]
        places = np.setdiff1d(np.arange(len(codes)), bounds[:-1])
        moves = np.zeros((len(labels), len(labels)))
        np.add.at(moves, (codes[places - 1], codes[places]), 1)
        counts = np.bincount(codes, minlength=len(labels)).astype(float)
        return cls(node, move, bounds, counts, moves, _path_score(node, move, codes, places))


class _Objective:
    """How unlikely the labels of some texts are under a correction, with its penalty."""

    precision: Precision = "double"

    def __init__(self, parts: list[_Part], n: int, strength: float, threads: int | None) -> None:
        self.parts, self.n, self.c2, self.threads = parts, n, strength, threads
        self.size = n + n * n

    def __call__(self, x: Scores) -> tuple[float, Scores]:
        bias, moves = x[: self.n], x[self.n :].reshape(self.n, self.n)
        value = self.c2 * (dot(bias, bias) + MOVES * dot(moves, moves))
        of_labels, of_moves = 2 * self.c2 * bias, 2 * self.c2 * MOVES * moves
        for part in self.parts:
            grid = Grid([part.node + bias], [part.move + moves], bounds=part.bounds)
            expected = grid.marginals("exact", threads=self.threads)
            value += float(expected.log_z.sum()) - part.score
            value -= dot(part.labels, bias) + dot(part.moves, moves)
            of_labels = of_labels + expected.labels[0].sum(axis=0) - part.labels
            of_moves = of_moves + _summed_moves(expected.moves[0]) - part.moves
        return value, np.concatenate([of_labels, of_moves.ravel()])

    def go_on_in_double(self) -> None:
        """It always is."""


def codes_of(corpus: Corpus, label: str, labels: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """The numbers of a column's labels, -1 where they are missing or unknown."""
    column = corpus.column(label)
    numbers = {name: k for k, name in enumerate(labels)}
    table = np.array([numbers.get(level, -1) for level in column.levels] + [-1])
    found: npt.NDArray[np.int64] = table[column.codes]
    return found


def _is_allowed(own: Potentials, codes: npt.NDArray[np.int64], a: int, b: int) -> bool:
    """Whether a sequence's labels have a finite score: a model of some of the text may have
    constraints that the rest breaks."""
    tokens, places = np.arange(a, b), np.arange(a + 1, b)
    score = own.node[tokens, codes[a:b]].sum() + _moved(own.move, codes, places)
    return bool(np.isfinite(score))


def _moved(move: Scores, codes: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> float:
    before, after = codes[places - 1], codes[places]
    return float((move[places, before, after] if move.ndim == 3 else move[before, after]).sum())


def _path_score(
    node: Scores, move: Scores, codes: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
) -> float:
    return float(node[np.arange(len(codes)), codes].sum()) + _moved(move, codes, places)


def _summed_moves(moves: Scores) -> Scores:
    return moves if moves.ndim == 2 else moves.sum(axis=0)
