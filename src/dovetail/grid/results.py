"""Results of inference in a grid."""

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
    """Expectations under the distribution of a grid.

    ``log_z`` of each sequence; ``labels``: for each layer the probability of each label at each
    token; ``transitions``: the expected count of each transition over all sequences, or its
    probability at each token where transition scores were given per token; ``cotemporal`` and
    ``lagged``: joint probabilities of the labels of each factor, at each token; ``conditioned``:
    those of transitions with what they are given, as ``transitions``.
    """

    log_z: Scores
    labels: list[Scores]
    transitions: list[Scores]
    cotemporal: dict[tuple[int, ...], Scores]
    lagged: dict[tuple[int, int], Scores]
    conditioned: dict[tuple[int, ...], Scores]
    report: Report
