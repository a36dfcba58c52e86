"""What to label next.

A fifth of the documents, drawn by their numbers alone, is a reserve for testing: what the model
suggested in these before anybody saw them is an honest test. No strategy may pick one because the
model finds it hard, or the hard ones would come first and the score would rise by itself. Every
fifth document that is asked for is the next of the reserve, in a random order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse import csr_array

from dovetail.corpus import near_duplicates
from dovetail.studio.annotation import Document
from dovetail.studio.learning.model import Floats, Readings

Strategy = Literal[
    "least confidence", "total entropy", "mean entropy", "wrong spans", "density", "random", "order"
]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
EVERY = 5  # documents, of which one is in the reserve


class Next(NamedTuple):
    """A document that should be labelled next, and why."""

    document: int
    reason: str


def least_confidence(readings: Readings) -> Floats:
    """How improbable the best labels of a document are, by its length (Shen et al. 2018)."""
    return -readings.log_probabilities / np.maximum(readings.lengths, 1)


def total_entropy(readings: Readings) -> Floats:
    """The entropies of its tokens, added up: long documents come first."""
    return readings.total_entropies()


def mean_entropy(readings: Readings) -> Floats:
    """The same by its length."""
    return readings.total_entropies() / np.maximum(readings.lengths, 1)


def wrong_spans(readings: Readings) -> Floats:
    """How many spans would have to be put right, on average, by its length."""
    expected = [readings.expected_wrong(k) for k in range(len(readings))]
    return np.array(expected, float) / np.maximum(readings.lengths, 1)


def density(readings: Readings) -> Floats:
    """Mean entropy, times how much a document is like the others (Settles and Craven 2008)."""
    return mean_entropy(readings) * similarity([one.tokens for one in readings.documents])


def similarity(texts: Sequence[Sequence[str]]) -> Floats:
    """The mean cosine of each text to all of them, by their words.

    >>> similarity([["a", "b"], ["a"], ["c"]]).round(2).tolist()
    [0.57, 0.57, 0.33]
    """
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word.lower(), len(numbers)) for word in text] for text in texts]
    bounds = np.cumsum([0, *map(len, rows)])
    columns = np.array([number for row in rows for number in row], np.int64)
    counts = csr_array((np.ones(len(columns)), columns, bounds), shape=(len(texts), len(numbers)))
    counts.sum_duplicates()
    lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1), float)).ravel()
    scaled = counts / np.maximum(lengths, 1.0)[:, None]
    centre = np.asarray(scaled.sum(axis=0), float).ravel() / max(len(texts), 1)
    return np.asarray(scaled @ centre, float)


MEASURES: Mapping[Strategy, Callable[[Readings], Floats]] = {
    "least confidence": least_confidence,
    "total entropy": total_entropy,
    "mean entropy": mean_entropy,
    "wrong spans": wrong_spans,
    "density": density,
}
"""How much each document would teach; strategies without a model have none."""
REASONS: Mapping[Strategy, str] = {
    "least confidence": "the model is least sure of it, for its length",
    "total entropy": "the model is least sure of its tokens, all together",
    "mean entropy": "the model is least sure of its tokens, on average",
    "wrong spans": "most of what is suggested in it is likely to be wrong",
    "density": "the model is unsure of it, and it is like many others",
    "random": "drawn at random",
    "order": "the next in order",
}


def random_rank(document: int, seed: int = 0) -> str:
    """The place of a document in a random order that new documents do not disturb."""
    return sha256(f"{seed}:{document}".encode()).hexdigest()


def is_reserved(document: int, seed: int = 0) -> bool:
    """Whether a document belongs to the fifth that is for testing.

    >>> sum(is_reserved(k) for k in range(1000))
    209
    """
    return int(random_rank(document, seed)[-8:], 16) % EVERY == 0


def choose_next(
    candidates: Sequence[int],
    scores: Mapping[int, float],
    strategy: Strategy,
    asked: int,
    *,
    seed: int = 0,
) -> Next | None:
    """The next of the documents that are open, in their order; None where there is none.

    ``scores`` are what the strategy's measure says of them, as far as it has been computed, and
    ``asked`` is how many documents were chosen before.

    >>> choose_next([3, 4, 5], {3: 0.1, 4: 0.9}, "least confidence", 1).document
    4
    """
    if not candidates:
        return None
    if strategy == "order":
        return Next(candidates[0], REASONS[strategy])
    if strategy == "random":
        return Next(_first_at_random(candidates, seed), REASONS[strategy])
    reserve = [k for k in candidates if is_reserved(k, seed)]
    others = [k for k in candidates if not is_reserved(k, seed)]
    if reserve and (asked % EVERY == 0 or not others):
        reason = "drawn at random: every fifth is, as a test"
        return Next(_first_at_random(reserve, seed), reason)
    known = [k for k in others if k in scores]
    if not known:
        return Next(_first_at_random(others, seed), REASONS["random"])
    return Next(max(known, key=lambda k: (scores[k], -k)), REASONS[strategy])


def _first_at_random(documents: Sequence[int], seed: int) -> int:
    return min(documents, key=lambda k: random_rank(k, seed))


def without_copies(
    candidates: Iterable[int], groups: Mapping[int, int], asked: Collection[int]
) -> list[int]:
    """Candidates of which no near-copy has been asked or stands before them.

    >>> without_copies([1, 2, 3, 4], {1: 0, 2: 0, 3: 1, 4: 2, 5: 1}, [5])
    [1, 4]
    """
    seen = {groups[k] for k in asked if k in groups}
    out = []
    for k in candidates:
        if groups.get(k, -k - 1) not in seen:
            out.append(k)
            seen.add(groups.get(k, -k - 1))
    return out


def copy_groups(documents: Sequence[Document]) -> dict[int, int]:
    """A number for each document, the same for near-copies of a text. Documents of less than a
    handful of words are left alone: they may well be the same by chance."""
    found = near_duplicates([one.text for one in documents])
    return {document.id: group for document, group in zip(documents, found, strict=True)}
