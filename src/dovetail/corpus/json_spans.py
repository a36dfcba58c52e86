"""Character spans of JSON lines, checked and converted to token spans."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from dovetail.corpus.labels import Span
from dovetail.errors import DataError


def parse_spans(value: Any, length: int, where: str) -> list[Span]:
    """Check the spans of one line against a text of ``length`` characters; sorted by start.

    >>> parse_spans([[0, 2, "ORG"], {"start": 3, "end": 5, "label": "LOC"}], 9, "file:1")
    [Span(start=0, end=2, label='ORG'), Span(start=3, end=5, label='LOC')]
    """
    if not isinstance(value, list):
        raise DataError(f'{where}: "spans" must be a list')
    found = sorted(_span(item, length, f"{where}: span {i}") for i, item in enumerate(value, 1))
    for before, after in itertools.pairwise(found):
        if after.start < before.end:
            raise DataError(f"{where}: the spans {list(before)} and {list(after)} overlap")
    return found


def _span(item: Any, length: int, where: str) -> Span:
    if isinstance(item, dict):
        item = [item.get("start"), item.get("end"), item.get("label")]
    if (
        not isinstance(item, list)
        or len(item) != 3
        or [type(part) for part in item] != [int, int, str]
        or not item[2]
    ):
        raise DataError(f"{where} must be two whole numbers and a label: [start, end, label]")
    span = Span(*item)
    if not 0 <= span.start < span.end <= length:
        raise DataError(f"{where}, {item}, does not fit a text of {length} characters")
    return span


def snap_to_tokens(
    spans: Sequence[Span], offsets: Sequence[tuple[int, int]], where: str
) -> tuple[list[Span], int]:
    """Spans of tokens for spans of characters, and how many had to be widened to whole tokens.

    >>> snap_to_tokens([Span(0, 3, "LOC")], [(0, 4), (5, 9)], "file:1")
    ([Span(start=0, end=1, label='LOC')], 1)
    """
    places = TokenPlaces(offsets)
    snapped: list[Span] = []
    widened = 0
    for span in spans:
        found, moved = places.snap(span, where)
        if snapped and found.start < snapped[-1].end:
            raise DataError(f"{where}: the span {list(span)} shares a token with the one before it")
        widened += moved
        snapped.append(found)
    return snapped, widened


class TokenPlaces:
    """Where tokens are in a text, for looking up many spans."""

    def __init__(self, offsets: Sequence[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in offsets]
        self._ends = [end for _, end in offsets]

    def find(self, span: Span) -> Span:
        """The tokens that characters are in; none if it ends where it starts."""
        first = bisect_right(self._ends, span.start)
        last = bisect_left(self._starts, span.end)
        return Span(first, max(first, last), span.label)

    def snap(self, span: Span, where: str) -> tuple[Span, bool]:
        """The span of tokens for one of characters, and whether it had to be widened."""
        found = self.find(span)
        if found.start == found.end:
            raise DataError(f"{where}: the span {list(span)} holds no token")
        begin, end = self._starts[found.start], self._ends[found.end - 1]
        return found, begin < span.start or end > span.end
