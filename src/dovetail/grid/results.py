"""What inference in a grid finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.grid.report import Report

Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]


class Best(NamedTuple):
    """The best labels: of each layer [tokens]; the score of each sequence."""

    labels: list[Labels]
    scores: Scores
    report: Report


class Marginals(NamedTuple):
    """What is expected of a grid.

    ``log_z`` of each sequence; ``labels``: for each layer the probability of each label at each
    token; ``moves``: the expected number of each move in all sequences together, or its probability
    at each token where moves are given so; ``ties`` and ``lags``: probabilities of the labels they
    join, at each token.
    """

    log_z: Scores
    labels: list[Scores]
    moves: list[Scores]
    ties: dict[tuple[int, ...], Scores]
    lags: dict[tuple[int, int], Scores]
    report: Report
