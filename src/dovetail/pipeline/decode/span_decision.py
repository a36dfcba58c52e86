"""Labels chosen with F1 in view: the spans that are worth taking, not the likeliest labelling.

Where an F1 of F can be had, it is highest if all spans of a probability above F / 2 are taken
(Lipton, Elkan and Naryanaswamy 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Scores
from dovetail.corpus.labels import B, E, I, S
from dovetail.grid import Grid
from dovetail.pipeline.decode.span_candidates import (
    Ints,
    SpanCandidates,
    find_candidates,
    labels_of_types,
)

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class SpanDecision:
    """The probability above which a span is taken, unless better ones overlap with it."""

    threshold: float

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"the threshold of spans is {self.threshold}, not a probability")

    def decode(
        self,
        grid: Grid,
        labels: Sequence[str],
        best: Codes,
        *,
        threads: int | None = None,
        found: SpanCandidates | None = None,
    ) -> Codes:
        """The labels of a grid of one layer; ``best`` are the likeliest ones, for sequences in
        which some label is forbidden that leaving out a span would need. ``found`` are the spans,
        where they are known already."""
        if found is None:
            found = find_candidates(grid, labels, threads=threads)
        bounds = _bounds(grid)
        taken = choose_spans(found, found.probabilities - self.threshold, bounds)
        codes = np.full(len(best), labels.index("O") if "O" in labels else -1, np.int32)
        _write(codes, found, taken, labels_of_types(labels))
        forbidden = np.isneginf(label_scores(grid, codes))
        return np.where(np.repeat(forbidden, np.diff(bounds)), best, codes)

    @classmethod
    def for_f1(cls, found: Sequence[SpanCandidates]) -> SpanDecision:
        """The one under which the expected F1 of some text is highest."""
        return cls(best_f1(np.concatenate([one.probabilities for one in found])) / 2)


def best_f1(probabilities: Scores) -> float:
    """The highest F1 that is expected of taking all spans above some probability.

    >>> best_f1(np.array([1.0, 0.5, 0.0]))
    0.8571428571428571
    """
    if not probabilities.size:
        return 1.0
    falling = np.sort(probabilities)[::-1]
    return float((2 * np.cumsum(falling) / (np.arange(1, len(falling) + 1) + falling.sum())).max())


def label_scores(grid: Grid, codes: Codes) -> Scores:
    """The score of each sequence's labels under a grid of one layer; a code of -1 is forbidden."""
    node, transition = np.asarray(grid.nodes[0]), np.asarray(grid.transitions[0])
    bounds = _bounds(grid)
    owners = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    scores = np.where(codes < 0, -inf, node[np.arange(len(codes)), codes])
    places = np.setdiff1d(np.arange(len(codes)), bounds[:-1])
    pairs = codes[places - 1], codes[places]
    scores[places] += transition[places, *pairs] if transition.ndim == 3 else transition[pairs]
    return np.bincount(owners, scores, len(bounds) - 1).astype(float)


def choose_spans(found: SpanCandidates, gains: Scores, bounds: Ints) -> list[int]:
    """The candidates of the greatest total gain that do not overlap; a token that cannot be
    outside a span must be in one, where candidates allow that."""
    taken: list[int] = []
    begins, ends, kept = found.starts.tolist(), found.ends.tolist(), gains.tolist()
    optional = (found.outside > 0).tolist()
    limits = np.searchsorted(found.ends, bounds, side="right").tolist()
    for (first, last), (low, high) in zip(pairwise(bounds.tolist()), pairwise(limits), strict=True):
        if low == high:
            continue
        best = [0.0] * (last - first + 1)
        span = [-1] * (last - first + 1)
        k = low
        for end in range(first + 1, last + 1):
            here = end - first
            best[here] = best[here - 1] if optional[end - 1] else -inf
            while k < high and ends[k] == end:
                gain = best[begins[k] - first] + kept[k]
                if gain > best[here]:
                    best[here], span[here] = gain, k
                k += 1
        here = last - first
        while here > 0:
            k = span[here]
            here = here - 1 if k < 0 else begins[k] - first
            taken += [k] if k >= 0 else []
    return taken


def _write(
    codes: Codes, found: SpanCandidates, taken: Sequence[int], letters: dict[str, dict[int, int]]
) -> None:
    """Labels of some spans."""
    for k in taken:
        own = letters[found.names[int(found.types[k])]]
        start, end = int(found.starts[k]), int(found.ends[k])
        if end - start == 1:
            codes[start] = own.get(S, own.get(B, -1))
            continue
        codes[start] = own[B]
        codes[start + 1 : end - 1] = own.get(I, -1)
        codes[end - 1] = own.get(E, own.get(I, -1))


def _bounds(grid: Grid) -> Ints:
    given = [0, len(np.asarray(grid.nodes[0]))] if grid.bounds is None else grid.bounds
    return np.asarray(given, np.int64)
