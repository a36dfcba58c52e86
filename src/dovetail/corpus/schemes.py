"""Label schemes: which one a corpus uses, conversion between them, and their legal transitions.

IOB1 writes B only where a span directly follows another of its type, IOB2 at the start of every
span, IOBES also marks the end (E) and spans of one token (S); BILOU is IOBES with other letters.
"none" means plain labels, such as parts of speech.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus.column import Column
from dovetail.corpus.labels import B, E, I, S, labels_from_spans, spans, split_label
from dovetail.errors import DataError

Scheme = Literal["IOB1", "IOB2", "IOBES", "none"]
SCHEMES: tuple[Scheme, ...] = ("IOB1", "IOB2", "IOBES", "none")
Bools = NDArray[np.bool_]


class AllowedTransitions(NamedTuple):
    """Legal transitions: ``transitions[i, j]`` from label i to j, ``start[j]``, and ``end[i]``."""

    transitions: Bools
    start: Bools
    end: Bools


def detect_scheme(sequences: Iterable[Sequence[str | None]]) -> Scheme:
    """Detect the scheme of labels; missing labels are ignored.

    Labels that all have the form of a span scheme are IOBES if an E, S, L or U is among them.
    Otherwise spans that begin with I speak for IOB1 and spans that begin with B (not after their
    own type) for IOB2; if a few labels are malformed, the more frequent kind decides.

    >>> detect_scheme([["I-PER", "I-PER", "O"], ["I-LOC", "B-LOC"]])
    'IOB1'
    >>> detect_scheme([["DT", "NN"]])
    'none'
    """
    lists = [list(labels) for labels in sequences]
    column = Column.from_values(chain.from_iterable([*labels, None] for labels in lists))
    try:
        parsed = [split_label(level) for level in column.levels]
    except DataError:
        return "none"
    if not parsed:
        return "none"
    if any(letter in (E, S) for letter, _ in parsed):
        return "IOBES"
    types: dict[str, int] = {}
    letter_of = np.array([letter for letter, _ in parsed] + [0])
    type_of = np.array(
        [types.setdefault(t, len(types)) if letter else -1 for letter, t in parsed] + [-1]
    )
    letters, kinds = letter_of[column.codes], type_of[column.codes]
    begins = kinds != np.append(-1, kinds[:-1])
    begun_inside = int(np.sum(begins & (letters == I)))
    begun_by_b = int(np.sum(begins & (letters == B)))
    return "IOB1" if begun_inside and begun_inside >= begun_by_b else "IOB2"


def convert(
    labels: Sequence[str | None], source: Scheme, target: Literal["IOB1", "IOB2", "IOBES"]
) -> list[str]:
    """Write the labels of one sequence in another span scheme.

    Malformed labels are read as conlleval reads them (see `spans`), so no token is lost; only a
    letter that the source scheme does not have at all is an error. Missing labels become O.

    >>> convert(["I-PER", "I-PER", "B-PER", "O"], "IOB1", "IOBES")
    ['B-PER', 'E-PER', 'S-PER', 'O']
    """
    _letters([label for label in labels if label is not None], source)
    return labels_from_spans(spans(labels), len(labels), target)


def write_in_scheme(sequences: Sequence[Sequence[str]], scheme: Scheme) -> list[list[str]]:
    """Labels of sequences in a scheme of spans; as they are where these or those are plain.

    >>> write_in_scheme([["B-PER", "I-PER", "O"]], "IOB1")
    [['I-PER', 'I-PER', 'O']]
    """
    source = detect_scheme(sequences)
    if scheme == "none" or source in ("none", scheme):
        return [list(labels) for labels in sequences]
    return [convert(labels, source, scheme) for labels in sequences]


def allowed_transitions(labels: Sequence[str], scheme: Scheme) -> AllowedTransitions:
    """Which labels may follow which, begin a sequence and end one; all may under "none".

    >>> transitions, start, end = allowed_transitions(["O", "B-X", "I-X"], "IOB2")
    >>> transitions.astype(int).tolist(), start.tolist(), end.tolist()
    ([[1, 1, 0], [1, 1, 1], [1, 1, 1]], [True, True, False], [True, True, True])
    """
    n = len(labels)
    everything = np.ones(n, dtype=bool)
    if scheme == "none":
        return AllowedTransitions(np.ones((n, n), dtype=bool), everything, everything.copy())
    letters = _letters(labels, scheme)
    types = [split_label(label)[1] for label in labels]
    kinds = np.unique(types, return_inverse=True)[1].reshape(n)
    opened = np.isin(letters, (B, I))
    same = opened[:, None] & (kinds[:, None] == kinds[None, :])

    # A label that needs one like it before: B in IOB1, I in IOB2, I and E in IOBES.
    needs = np.isin(letters, {"IOB1": (B,), "IOB2": (I,), "IOBES": (I, E)}[scheme])
    transitions = ~needs[None, :] | same
    end = everything
    if scheme == "IOBES":
        transitions &= ~opened[:, None] | needs[None, :]
        end = ~opened
    return AllowedTransitions(transitions, ~needs, end)


def _letters(labels: Sequence[str], scheme: Scheme) -> NDArray[np.int64]:
    """The letters of labels of a span scheme, each of which must belong to the scheme."""
    if scheme not in ("IOB1", "IOB2", "IOBES"):
        raise DataError(f"{scheme!r} is not a scheme of spans: choose IOB1, IOB2 or IOBES")
    letters = [split_label(label)[0] for label in labels]
    if scheme != "IOBES":
        strange = next(
            (label for label, x in zip(labels, letters, strict=True) if x in (E, S)), None
        )
        if strange is not None:
            raise DataError(f"the label {strange!r} is not of the scheme {scheme}")
    return np.array(letters, dtype=np.int64)
