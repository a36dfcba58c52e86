"""All spans that a chain of labels finds possible, with their exact probabilities.

In a chain the probability of a span is that of its first label, times that of each further one
given the one before, times that of not going on: pairs of neighbouring labels are all it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Scores
from dovetail.corpus import detect_scheme
from dovetail.corpus.labels import B, E, I, O, S, split_label
from dovetail.grid import Grid

LEAST = 0.02  # probability; spans below it are passed over
MOST_NUMBERS = 1 << 24  # probabilities of pairs that are kept at a time

Ints = npt.NDArray[np.int64]
Letters = dict[int, int]  # the number of the label with each letter, for one type


class SpanCandidates(NamedTuple):
    """Spans by where they start and end among the tokens of a corpus; ``types`` are numbers in
    ``names``. ``outside`` has the probability of the label O at each token."""

    names: tuple[str, ...]
    starts: Ints
    ends: Ints
    types: Ints
    probabilities: Scores
    outside: Scores


def labels_of_types(labels: Sequence[str]) -> dict[str, Letters]:
    """The labels of each type of span, by their letters; none where labels are of no span scheme,
    or of one that does not tell where a span begins.

    >>> labels_of_types(["O", "B-X", "I-X"])["X"] == {B: 1, I: 2}
    True
    >>> labels_of_types(["O", "I-X"])
    {}
    """
    if detect_scheme([list(labels)]) == "none":
        return {}
    out: dict[str, Letters] = {}
    for code, label in enumerate(labels):
        letter, kind = split_label(label)
        if letter != O:
            out.setdefault(kind, {})[letter] = code
    return out if all(B in own or S in own for own in out.values()) else {}


def find_candidates(
    grid: Grid, labels: Sequence[str], *, least: float = LEAST, threads: int | None = None
) -> SpanCandidates:
    """The spans of probability ``least`` or more under a grid of one layer.

    >>> node = np.log([[0.1, 0.9, 0.0001], [0.4, 0.1, 0.5]])
    >>> found = find_candidates(Grid([node], [np.zeros((3, 3))]), ["O", "B-X", "I-X"], least=0.3)
    >>> list(zip(found.starts.tolist(), found.ends.tolist(), found.probabilities.round(2).tolist()))
    [(0, 1, 0.45), (0, 2, 0.45)]
    """
    letters = labels_of_types(labels)
    pieces: list[tuple[int, Ints, Ints, Scores]] = []
    outside = [np.zeros(0)]
    for first, bounds, label, pair in _marginals(grid, threads):
        last = bounds[1:][np.diff(bounds) > 0] - 1
        for kind, own in enumerate(letters.values()):
            for starts, ends, probabilities in _spans_of(own, label, pair, last, least):
                pieces.append((kind, starts + first, ends + first, probabilities))
        has_outside = "O" in labels
        outside.append(label[:, list(labels).index("O")] if has_outside else np.zeros(len(label)))
    kinds = np.concatenate([np.full(len(p[1]), p[0], np.int64) for p in pieces] + [_NONE])
    starts = np.concatenate([p[1] for p in pieces] + [_NONE])
    ends = np.concatenate([p[2] for p in pieces] + [_NONE])
    probabilities = np.concatenate([p[3] for p in pieces] + [np.zeros(0)])
    order = np.lexsort((kinds, starts, ends))
    return SpanCandidates(
        tuple(letters),
        starts[order],
        ends[order],
        kinds[order],
        probabilities[order],
        np.concatenate(outside),
    )


_NONE = np.zeros(0, np.int64)


def _marginals(grid: Grid, threads: int | None) -> Iterator[tuple[int, Ints, Scores, Scores]]:
    """Probabilities of labels and of pairs of neighbours, some sequences at a time: the first
    token, the bounds counted from it, [tokens x labels], [tokens x label before x label]."""
    node = np.asarray(grid.nodes[0], float)
    transition = np.asarray(grid.transitions[0], float)
    n_labels = node.shape[1]
    bounds = np.asarray([0, len(node)] if grid.bounds is None else grid.bounds, np.int64)
    most = max(1, MOST_NUMBERS // n_labels**2)
    begin = 0
    while begin + 1 < len(bounds):
        end = int(np.searchsorted(bounds, bounds[begin] + most, side="right")) - 1
        end = max(end, begin + 1)
        first, last = int(bounds[begin]), int(bounds[end])
        each = np.broadcast_to(transition, (last - first, n_labels, n_labels))
        if transition.ndim == 3:
            each = transition[first:last]
        own = bounds[begin : end + 1] - first
        begin = end
        if first == last:
            continue
        found = Grid([node[first:last]], [each], bounds=own).marginals("exact", threads=threads)
        yield first, own, found.labels[0], found.transitions[0]


def _spans_of(
    letters: Letters, label: Scores, pair: Scores, last: Ints, least: float
) -> Iterator[tuple[Ints, Ints, Scores]]:
    """Spans of one type, the shortest first."""

    def probability(letter: int) -> Scores:
        return label[:, letters[letter]] if letter in letters else np.zeros(len(label))

    def going_on(before: int, after: int) -> Scores:
        """The probability of a label at the next token given one at this."""
        out = np.zeros(len(label))
        if before in letters and after in letters:
            both = pair[1:, letters[before], letters[after]]
            out[:-1] = np.divide(both, label[:-1, letters[before]], out=out[:-1], where=both > 0)
            out[last] = 0.0
        return np.minimum(out, 1.0)

    steps = {(a, b): going_on(a, b) for a in (B, I) for b in (I, E)}
    begins, single, inside = probability(B), probability(S), np.zeros(len(label))
    place = starts = np.flatnonzero(begins + single >= least)
    begun, done, inner = begins[starts], single[starts], inside[starts]
    while starts.size:
        further = begun * steps[B, I][place] + inner * steps[I, I][place]
        ended = begun * steps[B, E][place] + inner * steps[I, E][place]
        ends_here = done + np.maximum(begun + inner - further - ended, 0.0)
        chosen = ends_here >= least
        yield starts[chosen], place[chosen] + 1, ends_here[chosen]
        kept = further + ended >= least
        starts, place = starts[kept], place[kept] + 1
        begun, inner, done = np.zeros(len(starts)), further[kept], ended[kept]
