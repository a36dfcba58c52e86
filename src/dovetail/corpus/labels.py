"""Spans and the labels that write them down.

A label of a span scheme is ``O`` or a letter and a type: ``B-PER``. The letters are B (begins),
I (inside), E (ends) and S (single); L and U, as in BILOU, are read as E and S. The type may have
hyphens in it, and a bare letter has the empty type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus.column import Column
from dovetail.errors import DataError

Reading = Literal["conlleval", "IOB1", "IOB2", "IOBES"]

O, B, I, E, S = range(5)  # noqa: E741 - the field's own letters
_LETTERS = {"B": B, "I": I, "E": E, "S": S, "L": E, "U": S}
_LABEL = re.compile(r"([BIESLU])(?:-(.+))?", re.DOTALL)


class Span(NamedTuple):
    """Tokens ``start`` up to, not including, ``end``."""

    start: int
    end: int
    label: str


class SpanArrays(NamedTuple):
    """Spans in order, as arrays; ``types`` are numbers in the list of types that was given."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    types: NDArray[np.int64]


@lru_cache(maxsize=4096)
def split_label(label: str) -> tuple[int, str]:
    """The letter (one of O, B, I, E, S) and the type of a label.

    >>> split_label("U-creative-work") == (S, "creative-work")
    True
    """
    if label == "O":
        return O, ""
    match = _LABEL.fullmatch(label)
    if match is None:
        raise DataError(
            f"{label!r} is not a label of a span scheme: O, or one of B I E S (L U) and '-type'"
        )
    return _LETTERS[match[1]], match[2] or ""


def find_spans(
    labels: Column, bounds: NDArray[np.int64], types: dict[str, int], reading: Reading
) -> SpanArrays:
    """Find the spans of a whole column of labels at once; see `spans` for the readings.

    ``types`` numbers the types; those not yet in it are added.
    """
    parsed = [split_label(level) for level in labels.levels]
    letter_of = np.array([letter for letter, _ in parsed] + [O])
    type_of = np.array(
        [types.setdefault(t, len(types)) if letter != O else -1 for letter, t in parsed] + [-1]
    )
    letters, kinds = letter_of[labels.codes], type_of[labels.codes]
    previous, previous_kind = _shifted(letters, O, bounds), _shifted(kinds, -1, bounds)

    # A token goes on with a span if it is I or E, right after B or I of the same type.
    goes_on = ((letters == I) | (letters == E)) & ((previous == B) | (previous == I))
    goes_on &= kinds == previous_kind
    inside = letters != O
    starts = np.flatnonzero(inside & ~goes_on)
    is_last = inside & ~np.append(goes_on[1:], False)
    ends = np.flatnonzero(is_last) + 1

    first, last = letters[starts], letters[ends - 1]
    if reading == "IOB1":
        keep = (first == I) | ((first == B) & (kinds[starts] == previous_kind[starts]))
    elif reading == "IOB2":
        keep = first == B
    elif reading == "IOBES":
        keep = ((first == B) & (last == E)) | (first == S)
    else:
        keep = np.ones(len(starts), dtype=bool)
    return SpanArrays(starts[keep], ends[keep], kinds[starts[keep]])


def _shifted(values: NDArray[np.int64], fill: int, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The value of the token before, ``fill`` for the first of a sequence."""
    before = np.empty_like(values)
    before[1:] = values[:-1]
    firsts = bounds[:-1]
    before[firsts[firsts < len(values)]] = fill
    return before


def spans(labels: Sequence[str | None], reading: Reading = "conlleval") -> list[Span]:
    """The spans of one sequence of labels.

    "conlleval" reads leniently, as that script and seqeval's default do, whatever the scheme: B
    and S always begin a span, I and E begin one unless they follow B or I of the same type.
    "IOB1", "IOB2" and "IOBES" read strictly: what is not a whole legal span is left out.
    A missing label (``None``) is outside.

    >>> spans(["I-PER", "I-PER", "O", "B-LOC"])
    [Span(start=0, end=2, label='PER'), Span(start=3, end=4, label='LOC')]
    >>> spans(["I-PER", "I-PER", "O", "B-LOC"], "IOB2")
    [Span(start=3, end=4, label='LOC')]
    """
    out = []
    start, first, joins = 0, O, False  # of the span that is open, if `first` is not O
    before, before_kind = O, ""
    for t, label in enumerate([*labels, None]):
        letter, kind = (O, "") if label is None else split_label(label)
        if letter in (I, E) and before in (B, I) and kind == before_kind:
            before = letter
            continue
        if first != O and _is_whole(reading, first, before, joins):
            out.append(Span(start, t, before_kind))
        joins = before != O and kind == before_kind
        start, first, before, before_kind = t, letter, letter, kind
    return out


def _is_whole(reading: Reading, first: int, last: int, joins: bool) -> bool:
    """Is a span kept, by its first and last letters, and by whether it joins one of its type?"""
    if reading == "IOB1":
        return first == I or (first == B and joins)
    if reading == "IOB2":
        return first == B
    return reading == "conlleval" or (first == B and last == E) or first == S


def labels_from_spans(
    spans: Iterable[tuple[int, int, str]],
    length: int,
    scheme: Literal["IOB1", "IOB2", "IOBES"] = "IOB2",
) -> list[str]:
    """The labels of a sequence of ``length`` tokens with these spans, which may not overlap.

    >>> labels_from_spans([(0, 2, "PER"), (2, 3, "PER")], 4, "IOB1")
    ['I-PER', 'I-PER', 'B-PER', 'O']
    """
    if scheme not in ("IOB1", "IOB2", "IOBES"):
        raise DataError(f"spans cannot be written as {scheme!r}: choose IOB1, IOB2 or IOBES")
    labels = ["O"] * length
    last_end, last_type = 0, None
    for start, end, name in sorted(spans):
        if not 0 <= start < end <= length:
            raise DataError(f"span {start}-{end} ({name}) does not fit {length} tokens")
        if start < last_end:
            raise DataError(f"span {start}-{end} ({name}) overlaps the one before it")
        suffix = f"-{name}" if name else ""
        labels[start:end] = [f"I{suffix}"] * (end - start)
        if scheme == "IOBES":
            labels[end - 1] = f"E{suffix}"
            labels[start] = f"S{suffix}" if end - start == 1 else f"B{suffix}"
        elif scheme == "IOB2" or (start == last_end and name == last_type):
            labels[start] = f"B{suffix}"
        last_end, last_type = end, name
    return labels
