"""What is wrong with labels: sequences that break their span scheme, and labels that look like
typing errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from dovetail.corpus.labels import split_label
from dovetail.corpus.schemes import Scheme, allowed_transitions, convert, detect_scheme
from dovetail.errors import DataError

ORDER: tuple[Scheme, ...] = ("IOB2", "IOBES", "IOB1")
MOSTLY = 0.8  # of the tokens have labels of a span scheme, or nearly
FREQUENT = 5  # as often as this, a label is the right one of two
_NEARLY = re.compile(r"([BIESLU])([-_:/.–—])(.+)", re.IGNORECASE | re.DOTALL)
_OUTSIDE = ("o", "0")


class Malformed(NamedTuple):
    """Where a sequence breaks its scheme: numbers from 1, and the label before, None at the
    start."""

    sequence: int
    token: int
    label: str
    before: str | None

    def __str__(self) -> str:
        after = "at the start" if self.before is None else f"after {self.before}"
        return f"{self.label} {after}"


class LegalLabels(NamedTuple):
    """Label sequences that obey ``scheme``, of which some were ``repaired``; ``first`` is where."""

    sequences: list[Any]
    scheme: Scheme
    repaired: int = 0
    first: Malformed | None = None


def make_legal(sequences: Iterable[Sequence[Any]]) -> LegalLabels:
    """Labels as the span scheme has them that most of them obey.

    A sequence that breaks it is read as conlleval reads it, so that no token is lost, and written
    anew. Sequences with unknown labels stay as they are. The scheme is "none" for plain labels.

    >>> make_legal([["B-PER", "I-PER"], ["O", "I-LOC"], ["B-LOC"]])[:3]
    ([['B-PER', 'I-PER'], ['O', 'B-LOC'], ['B-LOC']], 'IOB2', 1)
    """
    lists = [list(labels) for labels in sequences]
    known = [labels for labels in lists if all(isinstance(label, str) for label in labels)]
    if not is_span_scheme({label for labels in known for label in labels}):
        return LegalLabels(lists, "none")
    for scheme in ORDER:
        if next(find_malformed(known, scheme), None) is None:
            return LegalLabels(lists, scheme)
    scheme = detect_scheme(known)
    assert scheme != "none"
    malformed = list(find_malformed(lists, scheme))
    for one in malformed:
        lists[one.sequence - 1] = convert(lists[one.sequence - 1], scheme, scheme)
    return LegalLabels(lists, scheme, len(malformed), malformed[0])


def is_span_scheme(labels: Iterable[str]) -> bool:
    """Whether labels all have the form of a span scheme, and are more than O."""
    try:
        letters = [split_label(label)[0] for label in labels]
    except DataError:
        return False
    return any(letters)


def find_malformed(sequences: Iterable[Sequence[Any]], scheme: Scheme) -> Iterator[Malformed]:
    """The first label of each sequence that breaks the scheme; those with unknown labels are
    passed over.

    >>> [str(one) for one in find_malformed([["O", "I-LOC"], ["B-LOC"]], "IOB2")]
    ['I-LOC after O']
    """
    lists = [list(labels) for labels in sequences]
    known = {label for labels in lists for label in labels if isinstance(label, str)}
    levels = sorted(known)
    try:
        legal = allowed_transitions(levels, scheme)
    except DataError:  # a letter that the scheme does not have
        legal = None
    numbers = {label: number for number, label in enumerate(levels)}
    for number, labels in enumerate(lists, 1):
        if not all(isinstance(label, str) for label in labels):
            continue
        codes = [numbers[label] for label in labels]
        token = 0 if legal is None else _first_illegal(codes, legal)
        if codes and token is not None:
            at = min(token, len(labels) - 1)
            yield Malformed(number, at + 1, labels[at], labels[at - 1] if at else None)


def _first_illegal(codes: Sequence[int], legal: Any) -> int | None:
    if codes and not legal.start[codes[0]]:
        return 0
    for token, (before, after) in enumerate(pairwise(codes), 1):
        if not legal.transitions[before, after]:
            return token
    return len(codes) if codes and not legal.end[codes[-1]] else None


class Doubt(NamedTuple):
    """A label that looks like a typing error, and what it may have been meant to be."""

    label: str
    occurrences: int
    meant: str | None
    why: str

    def __str__(self) -> str:
        times = "once" if self.occurrences == 1 else f"{self.occurrences} times"
        hint = f"; did you mean '{self.meant}'?" if self.meant else ""
        return f"the label '{self.label}' ({times}) {self.why}{hint}"


def find_doubtful_labels(counts: Mapping[str, int]) -> list[Doubt]:
    """Labels that are nearly of a span scheme where the others are, and labels seen once that are
    close to a frequent one.

    >>> [str(one) for one in find_doubtful_labels({"O": 90, "B-ORG": 20, "o": 1, "B-OGR": 1})]
    ... # doctest: +NORMALIZE_WHITESPACE
    ["the label 'o' (once) is not of a span scheme; did you mean 'O'?",
     "the label 'B-OGR' (once) is close to a frequent one; did you mean 'B-ORG'?"]
    """
    meant = {label: _nearest_span_label(label) for label in counts}
    spanlike = sum(count for label, count in counts.items() if meant[label] is not None)
    typed = any("-" in (name or "") for name in meant.values())
    if not typed or spanlike < MOSTLY * sum(counts.values()):
        return _find_rare(counts, counts, 6)
    strange = [label for label in counts if meant[label] != label]
    doubts = [
        Doubt(label, counts[label], meant[label], "is not of a span scheme") for label in strange
    ]
    proper = {label: count for label, count in counts.items() if meant[label] == label}
    types: Counter[str] = Counter()
    for label, count in proper.items():
        types[split_label(label)[1]] += count
    for rare in _find_rare(types, types, 4):
        label = next(label for label in proper if split_label(label)[1] == rare.label)
        whole = f"{label[:2]}{rare.meant}"
        doubts.append(rare._replace(label=label, meant=whole))
    return doubts


def count_labels(sequences: Iterable[Iterable[Any]]) -> Counter[str]:
    """How often each label occurs; unknown ones are not counted."""
    return Counter(label for labels in sequences for label in labels if isinstance(label, str))


def _nearest_span_label(label: str) -> str | None:
    """The label of a span scheme that is meant, None if there is none near."""
    try:
        split_label(label)
    except DataError:
        pass
    else:
        return label
    if label in _OUTSIDE:
        return "O"
    match = _NEARLY.fullmatch(label)
    return None if match is None else f"{match[1].upper()}-{match[3]}"


def _find_rare(
    counts: Mapping[str, int], frequent: Mapping[str, int], shortest: int
) -> list[Doubt]:
    """Names seen once that are close to a frequent one; single changes count only in long names."""
    common = sorted((name for name in frequent if frequent[name] >= FREQUENT and name), key=str)
    doubts = []
    for name, count in counts.items():
        if count != 1 or not name:
            continue
        meant = next((other for other in common if _is_close(name, other, shortest)), None)
        if meant is not None:
            doubts.append(Doubt(name, count, meant, "is close to a frequent one"))
    return doubts


def _is_close(name: str, other: str, shortest: int) -> bool:
    """Whether one is the other but for case, two letters in the wrong order, or one letter."""
    if name.casefold() == other.casefold():
        return True
    start = next((i for i, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), None)
    if start is None:
        start = min(len(name), len(other))
    rest, wanted = name[start:], other[start:]
    if len(rest) == len(wanted) and rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:]:
        return len(name) > 2
    if not (rest[:1] + wanted[:1]).isalpha() or max(len(name), len(other)) < shortest:
        return False
    if len(re.split(r"[\W_]", name)[-1]) < 3 or len(re.split(r"[\W_]", other)[-1]) < 3:
        return False  # a kind of something, as in title.j and title.m
    return rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]
