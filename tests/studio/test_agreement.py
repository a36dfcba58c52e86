"""Agreement, against figures worked out by hand and by definition."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from dovetail.studio.agreement import cohen_kappa, krippendorff_alpha, measure_agreement
from dovetail.studio.annotation import Annotation, Document, Span


def document(number: int, n: int = 6) -> Document:
    offsets = tuple((2 * k, 2 * k + 1) for k in range(n))
    return Document(number, str(number), "x " * n, ("x",) * n, offsets, (0, n), ((0, 2 * n),))


def test_kappa() -> None:
    # 20 cases: both yes, both no, and five each way (Cohen's own kind of table)
    one = ["y"] * 5 + ["y"] * 5 + ["n"] * 2 + ["n"] * 8
    other = ["y"] * 5 + ["n"] * 5 + ["y"] * 2 + ["n"] * 8
    expected = (10 / 20) * (7 / 20) + (10 / 20) * (13 / 20)
    assert cohen_kappa(one, other) == pytest.approx((13 / 20 - expected) / (1 - expected))
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["O"], ["O"]) is None
    assert cohen_kappa(["O", "A"], ["A", "O"]) == -1


def alpha_by_definition(units: list[list[str]]) -> float:
    """One minus observed over expected disagreement, by going through all pairs of values."""
    pairable = [unit for unit in units if len(unit) > 1]
    values = [value for unit in pairable for value in unit]
    n = len(values)
    observed = (
        sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in pairable)
        / n
    )
    expected = sum(a != b for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected


def test_alpha_is_its_definition() -> None:
    draw = random.Random(0)
    for _ in range(50):
        units = [draw.choices("ABC", k=draw.randint(0, 4)) for _ in range(20)]
        assert krippendorff_alpha(units) == pytest.approx(alpha_by_definition(units))
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([["A", "A"]]) is None


def test_pairs_and_documents_that_differ() -> None:
    both = Annotation((Span(0, 2, "A"), Span(3, 4, "B")), done=True)
    fewer = Annotation((Span(0, 2, "A"),), done=True)
    done = {"x": {1: both, 2: both, 3: both}, "y": {1: both, 2: fewer}, "z": {}}
    found = measure_agreement({k: document(k) for k in (1, 2, 3)}, done)
    assert (found.documents, found.differing) == (2, {2: 1})
    pair = found.pairs[0]
    assert (pair.annotators, pair.documents, pair.tokens) == (("x", "y"), 2, 12)
    assert pair.f1 == pytest.approx(2 * 3 / 7)
    assert pair.f1_by_label == {"A": 1.0, "B": pytest.approx(2 / 3)}
    assert found.pairs[1].f1 is None
    assert measure_agreement({k: document(k) for k in (1, 2, 3)}, done, [2]).differing == {}


def test_spans_of_the_same_tokens_but_other_edges_differ() -> None:
    one = Annotation((Span(0, 2, "A"),), done=True)
    other = Annotation((Span(0, 1, "A"), Span(1, 2, "A")), done=True)
    found = measure_agreement({1: document(1)}, {"x": {1: one}, "y": {1: other}})
    assert found.differing == {1: 1}
    assert found.pairs[0].f1 == 0
