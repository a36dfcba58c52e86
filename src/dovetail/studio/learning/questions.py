"""Questions about single places, where the model is unsure and all around is clear.

As Tomanek and Hahn (2009) do, only tokens are asked for whose best label is less probable than
0.99. Where such a token touches a suggested span, the whole span is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dovetail.studio.annotation import Annotation, Document, Suggestion
from dovetail.studio.learning.model import Floats, Readings

SURE = 0.99
LEAST = 0.01  # probability of a span that somebody is asked for


class Region(NamedTuple):
    """Tokens of a document that are to be looked at, what is suggested there, and the entropy of
    its tokens."""

    start: int
    end: int
    suggestions: tuple[Suggestion, ...]
    entropy: float


class Question(NamedTuple):
    """Is this a span of that label? Answered by yes, by no, or by another span or label."""

    document: int
    start: int
    end: int
    label: str
    probability: float
    entropy: float


def unsure_regions(
    document: Document,
    marginals: Floats,
    suggestions: Sequence[Suggestion],
    known: Annotation,
    sure: float = SURE,
) -> list[Region]:
    """Runs of tokens that a model is not sure of, without those that are known, and with the whole
    of each suggested span that they touch. A region does not go over the end of a sequence."""
    unsure = marginals.max(axis=1) < sure
    for span in suggestions:
        if unsure[span.start : span.end].any():
            unsure[span.start : span.end] = True
    for told in (*known.spans, *known.rejected):
        unsure[told.start : told.end] = False
    if known.done:
        unsure[:] = False
    shares = np.maximum(marginals, 1e-300)
    entropies = -(marginals * np.log(shares)).sum(axis=1)
    out = []
    for first, end in document.sequences:
        edges = np.flatnonzero(np.diff(np.concatenate([[0], unsure[first:end].astype(int), [0]])))
        for a, b in zip(edges[::2] + first, edges[1::2] + first, strict=True):
            here = tuple(s for s in suggestions if a <= s.start and s.end <= b)
            out.append(Region(int(a), int(b), here, float(entropies[a:b].sum())))
    return out


def questions_of(
    readings: Readings, k: int, known: Annotation, sure: float = SURE
) -> list[Question]:
    """What to ask about a document, where most is to be learnt first.

    Of a region without a suggestion its likeliest span is asked for: the longest run of tokens
    around the least sure one of which each is likelier to be of one type than of any other.
    """
    document = readings.documents[k]
    marginals = readings.of_document(k)
    out = []
    for region in unsure_regions(document, marginals, readings.suggestions(k), known, sure):
        found = region.suggestions or (_likeliest(readings, k, region),)
        out += [
            Question(document.id, s.start, s.end, s.label, s.probability, region.entropy)
            for s in found
            if s is not None and s.probability >= LEAST
        ]
    return sorted(out, key=lambda one: (-one.entropy, one.start))


def _likeliest(readings: Readings, k: int, region: Region) -> Suggestion | None:
    """The likeliest span of a region in which the best labels have none."""
    own = readings.of_document(k)[region.start : region.end]
    names = [label.partition("-")[2] for label in readings.labels]
    types = list(dict.fromkeys(name for name in names if name))
    if not types:
        return None
    shares = np.stack([own[:, [name == kind for name in names]].sum(axis=1) for kind in types])
    kind, centre = np.unravel_index(int(shares.argmax()), shares.shape)
    alike = shares.argmax(axis=0) == kind
    near = alike & (shares[kind] >= shares[kind, centre] / 2)
    first = last = int(centre)
    while first > 0 and near[first - 1]:
        first -= 1
    while last + 1 < len(near) and near[last + 1]:
        last += 1
    start, end = region.start + first, region.start + last + 1
    return Suggestion(start, end, types[kind], readings.probability(k, start, end, types[kind]))
