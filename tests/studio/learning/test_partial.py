"""What annotations tell of labels, against plain enumeration."""

from __future__ import annotations

import itertools
import random

import pytest

from dovetail.corpus.labels import spans
from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.learning.partial import (
    MOST,
    NOTHING,
    Alternative,
    known_labels,
    label_names,
)
from studio.learning.made_up import document

TYPES = ("A", "B")


def legal(n: int) -> list[tuple[str, ...]]:
    """All label sequences of IOB2."""

    def goes_on(labels: tuple[str, ...]) -> bool:
        return all(
            label[0] != "I" or (t > 0 and labels[t - 1][2:] == label[2:])
            for t, label in enumerate(labels)
        )

    return [own for own in itertools.product(label_names(TYPES), repeat=n) if goes_on(own)]


def agrees(labels: tuple[str, ...], known: Annotation) -> bool:
    """Whether labels are as an annotator says."""
    found = {(s.start, s.end, s.label) for s in spans(labels)}
    given = {(s.start, s.end, s.label) for s in known.spans}
    if known.done:
        return found == given
    if not given <= found:
        return False
    for span in known.rejected:
        if span.label == NOTHING:
            covered = {t for s in given for t in range(s[0], s[1])}
            if any(labels[t] != "O" for t in range(span.start, span.end) if t not in covered):
                return False
        elif (span.start, span.end, span.label) in found:
            return False
    return True


def allows(alternative: Alternative, labels: tuple[str, ...]) -> bool:
    return all(
        known is None or label == known or (isinstance(known, list) and label in known)
        for known, label in zip(alternative, labels, strict=True)
    )


def drawn(seed: int) -> tuple[int, Annotation]:
    draw = random.Random(seed)
    n = draw.randint(1, 5)
    places = [(a, b) for a in range(n) for b in range(a + 1, n + 1)]
    kept: list[Span] = []
    for _ in range(draw.randint(0, 2)):
        span = Span(*draw.choice(places), draw.choice(TYPES))
        if not any(span.overlaps(other) for other in kept):
            kept.append(span)
    wrong = {Span(*draw.choice(places), draw.choice([*TYPES, NOTHING])) for _ in range(2)}
    wrong = {span for span in wrong if span not in kept}
    known = Annotation(tuple(sorted(kept)), tuple(sorted(wrong)), done=draw.random() < 0.2)
    return n, known


@pytest.mark.parametrize("seed", range(120))
def test_just_one_alternative_allows_what_agrees_and_none_allows_what_does_not(seed: int) -> None:
    n, known = drawn(seed)
    [alternatives] = known_labels(document(1, ["w"] * n), known, TYPES)
    for labels in legal(n):
        holding = sum(allows(one, labels) for one in alternatives or [[None] * n])
        assert holding == agrees(labels, known), (known, labels)


def test_a_document_of_which_nothing_is_known_tells_nothing() -> None:
    lines = document(1, ["a", "b", "c"], bounds=(0, 2, 3))
    assert known_labels(lines, Annotation(), TYPES) == [[], []]
    first = Annotation((Span(0, 1, "A"),))
    after = ["O", "B-A", "B-B", "I-B"]
    assert known_labels(lines, first, TYPES) == [[["B-A", after]], []]


def test_rejections_beyond_the_most_are_left_out() -> None:
    n = 2 * MOST
    wrong = tuple(Span(t, t + 1, "A") for t in range(0, n, 2))
    [alternatives] = known_labels(document(1, ["w"] * n), Annotation((), wrong), TYPES)
    assert 1 < len(alternatives) <= MOST


def test_a_type_that_no_span_has_is_not_learnt() -> None:
    known = Annotation((Span(0, 1, "A"),), (Span(1, 2, "B"),))
    [[only]] = known_labels(document(1, ["a", "b"]), known, ("A",))
    assert only == ["B-A", ["O", "B-A"]]
