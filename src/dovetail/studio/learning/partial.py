"""What annotations tell of the labels of tokens.

Labels are those of IOB2. A document that is done has all of them. Before, its spans are known, and
with each that the token after it does not go on with it; what was rejected is excluded; all else is
open.

That a span is wrong says that one of its tokens has another label, or that it goes on: no set of
labels for each token says just that. So what is known of a sequence is a list of *alternatives*, of
which exactly one holds; each has a set of labels for every token.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from dovetail.studio.annotation import Annotation, Document, Span

OUTSIDE = "O"
NOTHING = ""
"""The label of a rejected span in which there is nothing: each of its tokens is outside."""
MOST = 16  # alternatives of a sequence; further rejections are then left out

Known: TypeAlias = str | list[str] | None
Alternative: TypeAlias = list[Known]
_Sets: TypeAlias = list[frozenset[str]]


def label_names(types: Iterable[str]) -> list[str]:
    """The labels of tokens for types of spans.

    >>> label_names(["PER"])
    ['O', 'B-PER', 'I-PER']
    """
    return [OUTSIDE, *(f"{letter}-{kind}" for kind in types for letter in "BI")]


def known_labels(
    document: Document, annotation: Annotation, types: Sequence[str]
) -> list[list[Alternative]]:
    """For each sequence of a document the alternatives for its labels; none where nothing is
    known.

    ``types`` are those that a model is to know: of the others nothing is to be learnt, since no
    span of them has been seen.
    """
    names = label_names(types)
    return [_of_sequence(first, end, annotation, names) for first, end in document.sequences]


def _of_sequence(
    first: int, end: int, annotation: Annotation, names: Sequence[str]
) -> list[Alternative]:
    everything = frozenset(names)
    rest = frozenset([OUTSIDE]) if annotation.done else everything
    sets = [rest] * (end - first)
    here = [_within(s, first, end) for s in annotation.spans if s.start < end and first < s.end]
    wrong = [_within(s, first, end) for s in annotation.rejected if s.start < end and first < s.end]
    for span in wrong:
        if span.label == NOTHING:
            sets[span.start : span.end] = [frozenset([OUTSIDE])] * (span.end - span.start)
    for span in here:
        sets[span.start : span.end] = [frozenset([label]) for label in _pattern(span)]
    for span in here:
        if span.end < len(sets):
            sets[span.end] -= {f"I-{span.label}"}
    if all(one == everything for one in sets) and not wrong:
        return []
    found = [sets]
    for span in wrong:
        if span.label != NOTHING:
            more = [rest for own in found for rest in _without(own, span)]
            found = more if 0 < len(more) <= MOST else found
    whole = [[_plain(one, names) for one in own] for own in found]
    return [] if len(whole) == 1 and not any(known is not None for known in whole[0]) else whole


def _within(span: Span, first: int, end: int) -> Span:
    """The part of a span that a sequence has, from the beginning of the sequence."""
    return Span(max(span.start, first) - first, min(span.end, end) - first, span.label)


def _pattern(span: Span) -> list[str]:
    return [f"{'I' if k else 'B'}-{span.label}" for k in range(span.end - span.start)]


def _without(sets: _Sets, span: Span) -> list[_Sets]:
    """Label sequences that do not have just this span, by the first token that is otherwise."""
    out = []
    own = list(sets)
    for token, label in zip(range(span.start, span.end), _pattern(span), strict=True):
        if rest := own[token] - {label}:
            out.append([*own[:token], rest, *own[token + 1 :]])
        if label not in own[token]:
            return out
        own[token] = frozenset([label])
    further = f"I-{span.label}"
    if span.end < len(own) and further in own[span.end]:
        out.append([*own[: span.end], frozenset([further]), *own[span.end + 1 :]])
    return out


def _plain(labels: frozenset[str], names: Sequence[str]) -> Known:
    """A set as a tagger takes it."""
    if len(labels) == len(names):
        return None
    if len(labels) == 1:
        return next(iter(labels))
    return [name for name in names if name in labels]
