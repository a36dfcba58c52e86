"""What a model says of a sequence, as the writers of all formats are given it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dovetail.corpus import spans

SpanShown = tuple[int, int, str, float | None]
Labelling = tuple[dict[str, list[str]], float]


@dataclass(frozen=True)
class Result:
    """What a tagger says of one sequence; None is what was not asked for, or does not exist."""

    labels: list[str]
    confidences: list[float] | None = None
    spans: Sequence[SpanShown] | None = None  # None also where labels do not write spans
    marginals: list[dict[str, float]] | None = None
    nbest: list[tuple[list[str], float]] | None = None

    @property
    def certainty(self) -> float | None:
        """The geometric mean of the labels' probabilities, if they are known.

        >>> round(Result(["O", "B-LOC"], [0.9, 0.4]).certainty, 3)
        0.6
        """
        if self.confidences is None:
            return None
        if not self.confidences or min(self.confidences) <= 0:
            return 0.0
        return math.exp(math.fsum(map(math.log, self.confidences)) / len(self.confidences))

    def without_confidences(self) -> Result:
        """The same, but for what the tokens' probabilities are."""
        return replace(self, confidences=None)


@dataclass(frozen=True)
class LayeredResult:
    """What each layer says of one sequence; ``nbest`` are labellings of all layers together."""

    layers: dict[str, Result]
    nbest: list[Labelling] | None = None
    probability: float | None = None

    @property
    def certainty(self) -> float | None:
        """That of the last layer."""
        return list(self.layers.values())[-1].certainty

    def without_confidences(self) -> LayeredResult:
        """The same, but for what the tokens' probabilities are."""
        layers = {name: layer.without_confidences() for name, layer in self.layers.items()}
        return replace(self, layers=layers, probability=None)


def best_spans(labels: Sequence[str]) -> list[SpanShown]:
    """The spans of a labelling whose probability is known only as a whole."""
    return [(*span, None) for span in spans(labels)]


def last_layers(results: Sequence[LayeredResult]) -> list[Result]:
    """What the last layer says of each sequence; of labellings of all layers, its part."""
    shown = []
    for result in results:
        name, last = list(result.layers.items())[-1]
        if result.nbest is not None:
            last = replace(last, nbest=[(labels[name], p) for labels, p in result.nbest])
        shown.append(last)
    return shown
