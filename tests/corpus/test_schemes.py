from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import (
    Span,
    allowed_transitions,
    convert,
    detect_scheme,
    labels_from_spans,
    read_conll,
    spans,
)
from dovetail.errors import DataError

SPAN_SCHEMES = ("IOB1", "IOB2", "IOBES")
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOBES": "BIES"}


@st.composite
def span_lists(draw: st.DrawFn) -> tuple[list[Span], int]:
    found = []
    position = 0
    for _ in range(draw(st.integers(0, 5))):
        start = position + draw(st.integers(0, 2))
        position = start + draw(st.integers(1, 3))
        found.append(Span(start, position, draw(st.sampled_from(["X", "a-b", ""]))))
    return found, position + draw(st.integers(0, 2))


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(case=span_lists())
def test_spans_survive_their_labels(scheme, case: tuple[list[Span], int]) -> None:
    found, length = case
    labels = labels_from_spans(found, length, scheme)
    assert spans(labels) == found
    assert spans(labels, scheme) == found


@given(span_lists(), st.sampled_from(SPAN_SCHEMES), st.sampled_from(SPAN_SCHEMES))
def test_conversion_keeps_spans(case: tuple[list[Span], int], source, target) -> None:
    found, length = case
    labels = labels_from_spans(found, length, source)
    assert convert(labels, source, target) == labels_from_spans(found, length, target)


malformed = st.lists(
    st.sampled_from(["O", *(f"{p}-{t}" for p in "BIES" for t in "XY")]), max_size=9
)


@given(malformed, st.sampled_from(SPAN_SCHEMES))
def test_conversion_of_anything_is_legal_and_keeps_every_token(labels: list[str], target) -> None:
    converted = convert(labels, "IOBES", target)
    assert [label == "O" for label in converted] == [label == "O" for label in labels]
    assert spans(converted, target) == spans(labels)


def _segmentations(length: int, types: str) -> list[list[Span]]:
    """All lists of spans over so many tokens."""
    found: list[list[Span]] = []

    def extend(position: int, so_far: list[Span]) -> None:
        if position == length:
            found.append(so_far)
            return
        extend(position + 1, so_far)
        for end in range(position + 1, length + 1):
            for name in types:
                extend(end, [*so_far, Span(position, end, name)])

    extend(0, [])
    return found


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
def test_transitions_accept_exactly_what_spans_can_produce(scheme) -> None:
    labels = ["O", *(f"{letter}-{name}" for letter in LETTERS[scheme] for name in "XY")]
    transitions, start, end = allowed_transitions(labels, scheme)
    for length in range(1, 5):
        producible = {
            tuple(labels_from_spans(found, length, scheme))
            for found in _segmentations(length, "XY")
        }
        accepted = {
            tuple(labels[i] for i in path)
            for path in product(range(len(labels)), repeat=length)
            if start[path[0]]
            and end[path[-1]]
            and all(transitions[a, b] for a, b in pairwise(path))
        }
        assert accepted == producible


def test_transitions_of_plain_and_bilou_labels() -> None:
    assert np.all(allowed_transitions(["DT", "NN"], "none").transitions)
    bilou = allowed_transitions(["O", "B-X", "I-X", "L-X", "U-X"], "IOBES")
    iobes = allowed_transitions(["O", "B-X", "I-X", "E-X", "S-X"], "IOBES")
    for a, b in zip(bilou, iobes, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize(
    ("labels", "scheme"), [(["NN"], "IOB2"), (["S-X"], "IOB2"), (["O"], "BIO"), (["B-"], "IOB2")]
)
def test_labels_outside_the_scheme_are_refused(labels: list[str], scheme) -> None:
    with pytest.raises(DataError):
        allowed_transitions(labels, scheme)


@pytest.mark.parametrize("scheme", SPAN_SCHEMES)
@given(cases=st.lists(span_lists(), max_size=6))
def test_detected_scheme_fits(scheme, cases: list[tuple[list[Span], int]]) -> None:
    lists = [labels_from_spans(found, length, scheme) for found, length in cases]
    detected = detect_scheme(lists)
    if any(lists):
        for (found, _), labels in zip(cases, lists, strict=True):
            assert spans(labels, detected) == found


@pytest.mark.parametrize(
    ("lists", "scheme"),
    [
        ([], "none"),
        ([[None]], "none"),
        ([["O", "O"]], "IOB2"),
        ([["B-X", "I-X", "O"]], "IOB2"),
        ([["B-X", None, "B-X", "B-X", "I-Y"]], "IOB2"),
        ([["I-X", "B-X"], ["I-Y"]], "IOB1"),
        ([["I-X"], ["I-X"]], "IOB1"),
        ([["B-X", "L-X", "U-Y"]], "IOBES"),
        ([["S-X", "O"]], "IOBES"),
        ([["B", "I", "E", "S"]], "IOBES"),
        ([["B-X", "NN"]], "none"),
        ([["DT", "O"]], "none"),
    ],
)
def test_detection(lists: list[list[str | None]], scheme: str) -> None:
    assert detect_scheme(lists) == scheme


@pytest.mark.parametrize(
    ("labels", "lenient"),
    [
        (["I-X", "I-Y", "O"], [(0, 1, "X"), (1, 2, "Y")]),
        (["O", "E-X", "E-X"], [(1, 2, "X"), (2, 3, "X")]),
        (["B-X", "S-X", "I-X"], [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]),
        (["U-X", "B-X", "L-X"], [(0, 1, "X"), (1, 3, "X")]),
        (["B", "I", None, "I"], [(0, 2, ""), (3, 4, "")]),
    ],
)
def test_lenient_reading(labels: list[str | None], lenient: list[tuple[int, int, str]]) -> None:
    assert spans(labels) == lenient


def test_strict_reading_of_iob1() -> None:
    assert spans(["B-X", "I-X", "O", "I-X", "B-X", "B-Y"], "IOB1") == [(3, 4, "X"), (4, 5, "X")]


@pytest.mark.parametrize(
    "wrong", [(0, 0, "X"), (2, 1, "X"), (-1, 1, "X"), (2, 4, "X"), (0, 2, "X")]
)
def test_impossible_spans_are_refused(wrong: tuple[int, int, str]) -> None:
    with pytest.raises(DataError, match="span"):
        labels_from_spans([(1, 2, "Y"), wrong], 3)


def test_conversion_refuses_other_letters_and_schemes() -> None:
    with pytest.raises(DataError, match="'E-X' is not of the scheme IOB2"):
        convert(["B-X", "E-X"], "IOB2", "IOB1")
    with pytest.raises(DataError, match="not a scheme of spans"):
        convert(["NN"], "none", "IOB2")
    with pytest.raises(DataError, match="choose IOB1"):
        labels_from_spans([], 1, "none")  # type: ignore[arg-type]


def test_real_corpora(shared_data) -> None:
    news = read_conll(shared_data / "conll2003" / "eng.testb.gz", ["word", "pos", "chunk", "ner"])
    assert detect_scheme(news.lists("ner")) == "IOB1"
    assert detect_scheme(news.lists("chunk")) == "IOB1"
    assert detect_scheme(news.lists("pos")) == "none"
    chunks = read_conll(shared_data / "conll2000" / "test.txt.gz")
    assert detect_scheme(chunks.lists("label")) == "IOB2"
    assert sum(len(spans(labels)) for labels in chunks.lists("label")) == 23852
