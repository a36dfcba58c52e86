"""Single differences between the given and the predicted labels of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple, Protocol

from dovetail.corpus.labels import Span, spans

Kind = Literal["missed", "spurious", "type", "boundaries", "type and boundaries", "label"]


class SpanWithProbability(Protocol):
    """A span of tokens, and how sure a model is of it."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def label(self) -> str: ...

    @property
    def probability(self) -> float: ...


class Tagged(Protocol):
    """What a model says of one sequence; the taggings of taggers and of a pipeline's layers."""

    @property
    def labels(self) -> list[str]: ...

    @property
    def confidences(self) -> list[float]: ...

    @property
    def spans(self) -> Sequence[SpanWithProbability]: ...


class Difference(NamedTuple):
    """A span, or a token of plain labels, that is given and predicted differently.

    ``gold`` and ``predicted`` are types of spans, or labels; None where there is no span. The
    tokens from ``start`` up to ``end`` are those of both spans. ``confidence`` is how sure the
    model is of what it predicts: the probability of its span or label, or, where it has no span,
    the lowest of the labels that stand there.
    """

    start: int
    end: int
    gold: str | None
    predicted: str | None
    kind: Kind
    confidence: float


def find_differences(gold: Sequence[str], tagged: Tagged, *, by_spans: bool) -> list[Difference]:
    """All differences of one sequence, in order.

    A given span that is not predicted is compared with the predicted one that shares most tokens
    with it, if any does and it is not given itself; each is compared once.
    """
    if not by_spans:
        pairs = zip(gold, tagged.labels, tagged.confidences, strict=True)
        return [
            Difference(t, t + 1, given, found, "label", confidence)
            for t, (given, found, confidence) in enumerate(pairs)
            if given != found
        ]
    given, found = spans(gold), spans(tagged.labels)
    probabilities = {Span(s.start, s.end, s.label): s.probability for s in tagged.spans}

    def confidence(span: Span) -> float:
        lowest = min(tagged.confidences[span.start : span.end])
        return probabilities.get(span, lowest)

    right = set(given) & set(found)
    unmatched = [span for span in found if span not in right]
    out = []
    for span in given:
        if span in right:
            continue
        other = max(unmatched, key=partial(_overlap, span), default=None)
        if other is None or not _overlap(span, other):
            out.append(Difference(*span, None, "missed", confidence(span)))
            continue
        unmatched.remove(other)
        out.append(_difference(span, other, confidence(other)))
    for span in unmatched:
        place = (span.start, span.end)
        out.append(Difference(*place, None, span.label, "spurious", confidence(span)))
    return sorted(out, key=lambda one: (one.start, one.end))


def _difference(given: Span, found: Span, probability: float) -> Difference:
    start, end = min(given.start, found.start), max(given.end, found.end)
    kind: Kind = "type"
    if given[:2] != found[:2]:
        kind = "boundaries" if given.label == found.label else "type and boundaries"
    return Difference(start, end, given.label, found.label, kind, probability)


def _overlap(one: Span, other: Span) -> int:
    return max(min(one.end, other.end) - max(one.start, other.start), 0)
