"""Labels of training data that look wrong, with the file and the line they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from dovetail.cli.inputs import Source
from dovetail.corpus.conll import token_lines
from dovetail.corpus.label_checks import count_labels, find_doubtful_labels, make_legal
from dovetail.errors import DataError


def refuse_doubtful_labels(sources: Sequence[Source], lists: Sequence[Sequence[Any]]) -> None:
    """Refuse labels that look like typing errors, and sequences that break the scheme of the
    others."""
    doubts = find_doubtful_labels(count_labels(lists))
    if doubts:
        places = (
            (number, labels.index(doubts[0].label) + 1)
            for number, labels in enumerate(lists, 1)
            if doubts[0].label in labels
        )
        more = f" ({len(doubts) - 1} more look wrong)" if len(doubts) > 1 else ""
        raise DataError(f"{locate(sources, *next(places))}: {doubts[0]}{more}")
    legal = make_legal(lists)
    if legal.first is not None:
        where = locate(sources, legal.first.sequence, legal.first.token)
        raise DataError(
            f"{where}: {legal.first} is not {legal.scheme}, which most sequences are "
            f"({legal.repaired} of {len(lists)} are not)"
        )


def locate(sources: Iterable[Source], sequence: int, token: int) -> str:
    """Where a token of several files stands, numbers from 1: a file and its line, if lines are
    tokens."""
    sources = list(sources)
    if all(source.format == "conll" and source.path != "-" for source in sources):
        lines = chain.from_iterable(
            ((source.path, numbers) for numbers in token_lines(source.path, source.columns))
            for source in sources
        )
        for number, (path, numbers) in enumerate(lines, 1):
            if number == sequence:
                return f"{path}:{numbers[token - 1]}"
    names = ", ".join(source.path for source in sources)
    return f"{names}, sequence {sequence}, token {token}"
