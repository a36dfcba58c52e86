"""Recalibration: a few numbers that put right what regularised training leaves askew.

A CRF that was trained on little text prefers the common label: its precision is high, its recall
low. A bias for each label and a correction for each move, fitted by likelihood on scores of models
that have not seen the text (cross-fitted ones), repair that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dovetail.corpus import Corpus
from dovetail.pipeline.decode.joint import reads_guesses
from dovetail.pipeline.decode.span_decision import SpanDecision
from dovetail.pipeline.layers.annotator import Latent
from dovetail.pipeline.layers.potentials import Potentials, Scores


@dataclass(frozen=True)
class Correction:
    """What is added to scores: to each label's at each token, and to each move's."""

    labels: tuple[str, ...]
    bias: Scores
    moves: Scores

    @classmethod
    def none(cls, labels: tuple[str, ...]) -> Correction:
        """One that changes nothing."""
        return cls(labels, np.zeros(len(labels)), np.zeros((len(labels), len(labels))))

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
        finite = np.isfinite(bias).all() and np.isfinite(moves).all()
        if bias.shape != (n,) or moves.shape != (n, n) or not finite or len({*labels}) < n:
            raise ValueError("a correction does not fit its labels")
        return cls(labels, bias, moves)


@dataclass(frozen=True, repr=False)
class Recalibrated:
    """An annotator whose scores are corrected.

    ``decision`` says how spans are chosen; without one the likeliest labelling is the answer.
    """

    annotator: Any
    correction: Correction
    decision: SpanDecision | None = None
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
