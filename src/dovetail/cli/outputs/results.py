"""What a model says of a sequence, as the writers of all formats are given it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class LayeredResult:
    """What each layer says of one sequence; ``nbest`` are labellings of all layers together."""

    layers: dict[str, Result]
    nbest: list[Labelling] | None = None
    probability: float | None = None
