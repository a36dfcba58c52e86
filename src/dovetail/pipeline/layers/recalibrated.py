"""Recalibration: a few numbers that put right what regularised training leaves askew.

A CRF that was trained on little text prefers the common label: its precision is high, its recall
low. A bias for each label and a correction for each transition, fitted by likelihood on scores of
models that have not seen the text (cross-fitted ones), repair that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.base.annotator import Annotator, Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Corpus
from dovetail.pipeline.layers.annotator import Gains, LayerAnnotator
from dovetail.pipeline.layers.conversion import as_annotator
from dovetail.pipeline.layers.known import are_different, known_labels

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter


@dataclass(frozen=True)
class Correction:
    """What is added to scores: to each label's at each token, and to each transition's."""

    labels: tuple[str, ...]
    bias: Scores
    transitions: Scores

    @classmethod
    def none(cls, labels: tuple[str, ...]) -> Correction:
        """One that changes nothing."""
        return cls(labels, np.zeros(len(labels)), np.zeros((len(labels), len(labels))))

    def apply(self, scores: Potentials) -> Potentials:
        """Scores with the correction."""
        own = scores.ordered(self.labels)
        node, transitions = own.node + self.bias, own.transitions + self.transitions
        return replace(own, node=node, transitions=transitions)

    def spec(self) -> dict[str, Any]:
        """Plain data, for a file."""
        return {
            "labels": list(self.labels),
            "bias": self.bias.tolist(),
            "moves": self.transitions.tolist(),
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Correction:
        labels = tuple(map(str, spec["labels"]))
        n = len(labels)
        bias, transitions = np.array(spec["bias"], float), np.array(spec["moves"], float)
        finite = np.isfinite(bias).all() and np.isfinite(transitions).all()
        if bias.shape != (n,) or transitions.shape != (n, n) or not finite or len({*labels}) < n:
            raise ValueError("a correction does not fit its labels")
        return cls(labels, bias, transitions)


class Recalibrated(LayerAnnotator):
    """An annotator whose scores are corrected.

    With a ``span_threshold``, spans above that probability are taken (`SpanDecision`); without one
    the likeliest labelling is the answer.
    """

    def __init__(
        self,
        annotator: Tagger | Annotator,
        correction: Correction,
        span_threshold: float | None = None,
    ) -> None:
        if span_threshold is not None and not 0 <= span_threshold <= 1:
            raise ValueError(f"the threshold of spans is {span_threshold}, not a probability")
        self.annotator = as_annotator(annotator)
        self.correction = correction
        self._span_threshold = span_threshold

    def __repr__(self) -> str:
        how = "" if self.span_threshold is None else f", span_threshold={self.span_threshold:.3g}"
        return f"Recalibrated({self.annotator.source!r}{how})"

    @property
    def labels_(self) -> list[str]:
        return list(self.correction.labels)

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.annotator.reads_

    @property
    def taggers(self) -> list[Tagger]:
        return self.annotator.taggers

    @property
    def scores_any_corpus(self) -> bool:
        return self.annotator.scores_any_corpus

    @property
    def span_threshold(self) -> float | None:
        return self._span_threshold

    def reads_guesses(self, latent: Latent) -> bool:
        return self.annotator.reads_guesses(latent)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """The annotator's scores, corrected."""
        return self.correction.apply(self.annotator.potentials(corpus, latent))

    def gains(self, column: str, joint: Corpus, cascade: Corpus) -> Gains:
        """Those of the annotator, and the correction."""
        gains = self.annotator.gains(column, joint, cascade)
        bias, transitions = self.correction.bias, self.correction.transitions
        codes = [known_labels(column, self.labels_, answer).codes for answer in (joint, cascade)]
        for token in np.flatnonzero(are_different(*codes)).tolist():
            for sign, own in zip((1, -1), codes, strict=True):
                into = float(transitions[own[token - 1], own[token]]) if token else 0.0
                gains[token, "recalibration"] += sign * (float(bias[own[token]]) + into)
        return gains

    def describe(self) -> dict[str, Any]:
        """The annotator, and the threshold of spans."""
        return {
            "kind": "recalibrated",
            "span_threshold": self.span_threshold,
            "of": self.annotator.describe(),
        }

    @property
    def is_saveable(self) -> bool:
        return self.annotator.is_saveable

    def spec(self, parts: PartsWriter) -> dict[str, Any]:
        if not self.is_saveable:
            return super().spec(parts)
        inner = self.annotator.spec(parts)
        own = {"correction": self.correction.spec(), "threshold": self.span_threshold}
        return {"kind": "recalibrated", "of": inner, **own}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], parts: PartsReader) -> Recalibrated:
        inner = parts.restore(spec["of"])
        threshold = None if spec["threshold"] is None else float(spec["threshold"])
        return cls(inner, Correction.from_spec(spec["correction"]), threshold)
