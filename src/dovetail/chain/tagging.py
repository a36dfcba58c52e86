"""Labels with exact probabilities: of a token, of a span, of the whole sequence.

The token confidence is the marginal probability of the label shown. The span probability is exact:
the sum over all label sequences that have exactly this span. The sequence probability is that of
the whole label sequence. The best sequence (Viterbi) need not show each token's most probable
label: the two decoders answer different questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import ChainModel
from dovetail.chain.tagging_html import tagging_as_html
from dovetail.corpus.labels import B, E, I, S, Span, split_label

Decode = Literal["viterbi", "marginal"]
MOST_KEPT = 64  # tokens of a span whose masks are kept for the next of its kind


class SpanPrediction(NamedTuple):
    """A span of tokens, ``end`` exclusive, and the probability that the text has exactly it."""

    start: int
    end: int
    label: str
    probability: float


class Tagging(NamedTuple):
    """One tagged sequence.

    ``entropy`` (in nats) is that of the distribution over all label sequences: how unsure the model
    is.
    """

    labels: list[str]
    confidences: list[float]
    probability: float
    spans: list[SpanPrediction]
    entropy: float

    def to_html(self, words: Sequence[str] | None = None) -> str:
        """The words with their spans, or labels, marked; without words, their numbers."""
        return tagging_as_html(self, words)

    def _repr_html_(self) -> str:
        return self.to_html()


def tag_batch(
    model: ChainModel,
    batch: _native.Batch,
    *,
    decode: Decode = "viterbi",
    allowed: npt.NDArray[np.uint8],
    threads: int,
) -> list[Tagging]:
    """Labels, confidences and span probabilities of every sequence in a batch."""
    letters, numbers, types = _spelling(model.labels if model.facts["scheme"] != "none" else ())
    found = model.native.annotate(
        batch,
        model.labels,
        letters,
        numbers,
        model.constraints,
        allowed,
        decode == "viterbi",
        threads,
    )
    return [
        Tagging(
            labels,
            confidences,
            probability,
            [SpanPrediction(start, end, types[kind], p) for start, end, kind, p in spans],
            entropy,
        )
        for labels, confidences, probability, spans, entropy in found
    ]


@lru_cache(maxsize=64)
def _spelling(
    labels: tuple[str, ...],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32], tuple[str, ...]]:
    """How labels spell spans: the letter of each, the number of its type, and the types."""
    parsed = [split_label(label) for label in labels]
    types = tuple(dict.fromkeys(kind for _, kind in parsed))
    numbers = np.array([types.index(kind) for _, kind in parsed], np.int32)
    return np.array([letter for letter, _ in parsed], np.uint8), numbers, types


def span_events(names: tuple[str, ...], span: Span) -> Sequence[npt.NDArray[np.uint8]]:
    """The ways in which labels can spell exactly this span, as masks over labels.

    Each has a row for the token before the span, one for each of its tokens, and one for the token
    after it. As `spans` reads labels, a span begins with B or S, or with I or E where no B or I of
    its type stands before; it ends with E or S, or with B or I where no I or E of its type follows.
    """
    length = span.end - span.start
    find = _kept_events if length <= MOST_KEPT else _events
    return find(names, span.label, length)


def _events(
    names: tuple[str, ...], span_type: str, length: int
) -> tuple[npt.NDArray[np.uint8], ...]:
    parsed = [split_label(name) for name in names]

    def having(letters: set[int]) -> npt.NDArray[np.bool_]:
        return np.array([x in letters and kind == span_type for x, kind in parsed], bool)

    every = np.ones(len(names), bool)
    out = []
    for before, first in ((every, {B, S}), (~having({B, I}), {I, E})):
        for after, last in ((~having({I, E}), {B, I}), (every, {E, S})):
            inside = [having(first & last)]
            if length > 1:
                inside = [having(first & {B, I}), *[having({I})] * (length - 2)]
                inside.append(having(last & {I, E}))
            if all(row.any() for row in inside):
                mask = np.array([before, *inside, after], np.uint8)
                mask.setflags(write=False)
                out.append(mask)
    return tuple(out)


_kept_events = lru_cache(maxsize=1024)(_events)  # few types and lengths make most spans
