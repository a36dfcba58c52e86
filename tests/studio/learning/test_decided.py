"""What is suggested, and what is beside what is decided, against plain enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Collection

import pytest

from dovetail.studio.annotation import Annotation, Document, Span, Suggestion
from dovetail.studio.learning.learner import Learner
from dovetail.studio.learning.model import Model
from studio.learning.enumeration import TEXTS, distribution, found_in
from studio.learning.made_up import talks

Triple = tuple[int, int, str]
AND = TEXTS[1]
DECIDED = [
    Annotation(spans=(Span(2, 3, "LOC"),)),
    Annotation(spans=(Span(0, 2, "PER"),)),
    Annotation(rejected=(Span(3, 4, ""),)),
    Annotation(spans=(Span(1, 2, "LOC"),), rejected=(Span(2, 3, ""),)),
]


@pytest.fixture(scope="module")
def model() -> Model:
    documents, right = talks(8)
    return Learner(["PER", "LOC"], threads=1).fit(documents, right)


def agrees(found: Collection[Triple], decided: Annotation) -> bool:
    known = {(s.start, s.end, s.label) for s in decided.spans}
    nothing = {t for s in decided.rejected if not s.label for t in range(s.start, s.end)}
    return known <= {*found} and not any(nothing & {*range(a, b)} for a, b, _ in found)


def conditional(
    model: Model, text: Document, decided: Annotation
) -> list[tuple[set[Triple], float]]:
    """Sets of spans that agree with what is decided, with their probabilities."""
    each = [(found_in(text, labels), p) for labels, p in distribution(model, text).items()]
    kept = [(found, p) for found, p in each if agrees(found, decided)]
    total = sum(p for _, p in kept)
    return [(found, p / total) for found, p in kept]


def suggestions(model: Model, text: Document, decided: Annotation) -> tuple[Suggestion, ...]:
    return model.read([text]).given([decided]).suggestions(0)


@pytest.mark.parametrize("decided", DECIDED)
def test_probabilities_are_those_beside_what_is_decided(model: Model, decided: Annotation) -> None:
    shares = conditional(model, AND, decided)
    found = suggestions(model, AND, decided)
    assert {(s.start, s.end, s.label) for s in decided.spans} <= {
        (s.start, s.end, s.label) for s in found
    }
    for s in found:
        exact = sum(p for spans, p in shares if (s.start, s.end, s.label) in spans)
        assert s.probability == pytest.approx(exact, rel=1e-4)


def test_several_documents_are_decided_apart(model: Model) -> None:
    decided = [Annotation(), DECIDED[0], Annotation(spans=(Span(0, 1, "PER"),))]
    together = model.read(TEXTS).given(decided)
    for k, text in enumerate(TEXTS):
        alone = suggestions(model, text, decided[k])
        own = together.suggestions(k)
        assert [(s.start, s.end, s.label) for s in own] == [
            (s.start, s.end, s.label) for s in alone
        ]
        assert [s.probability for s in own] == pytest.approx([s.probability for s in alone])


@pytest.mark.parametrize("text", TEXTS)
def test_a_span_is_suggested_that_is_likelier_than_nothing_in_its_place(
    model: Model, text: Document
) -> None:
    """Of one-token spans: the choice of the greatest sum of gains, by trying all."""
    shares = conditional(model, text, Annotation())
    spans = {one for found, _ in shares for one in found}

    def gain(one: Triple) -> float:
        here = range(one[0], one[1])
        right = sum(p for found, p in shares if one in found)
        each = [
            sum(p for found, p in shares if not any(a <= t < b for a, b, _ in found)) for t in here
        ]
        return right - min(each)

    best, most = set(), 0.0
    for n in range(1, 3):
        for some in itertools.combinations(sorted(spans), n):
            apart = all(a[1] <= b[0] for a, b in itertools.pairwise(some))
            total = sum(map(gain, some))
            if apart and total > most:
                best, most = {*some}, total
    assert {(s.start, s.end, s.label) for s in model.suggest([text])[0]} == best


def test_where_a_suggestion_was_rejected_nothing_else_is_suggested(model: Model) -> None:
    shown = suggestions(model, AND, Annotation())
    assert shown
    refused = Annotation(rejected=(Span(shown[0].start, shown[0].end, shown[0].label),))
    rest = suggestions(model, AND, refused)
    assert not any(s.start < shown[0].end and shown[0].start < s.end for s in rest)


def test_labels_that_the_model_does_not_know_fix_nothing(model: Model) -> None:
    new = Annotation(spans=(Span(2, 4, "TITLE"),))
    assert [s.start for s in suggestions(model, AND, new)] == [
        s.start for s in suggestions(model, AND, Annotation())
    ]
