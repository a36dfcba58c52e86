from __future__ import annotations

import pytest

from dovetail.errors import DataError
from dovetail.evaluate.coverage import coverage, match_spans

GOLD = [["B-A", "I-A", "O", "B-B"], ["B-A", "O"]]


def test_a_span_is_found_only_with_its_borders_and_type() -> None:
    wrong = [["B-A", "O", "O", "B-A"], ["B-A", "O"]]
    assert match_spans(GOLD, wrong).tolist() == [False, False, True]


def test_coverage_is_what_at_least_one_finds() -> None:
    first = [["B-A", "I-A", "O", "O"], ["O", "O"]]
    second = [["O", "O", "O", "B-B"], ["O", "O"]]
    assert coverage(GOLD, first) == pytest.approx(1 / 3)
    assert coverage(GOLD, first, second) == pytest.approx(2 / 3)
    assert coverage(GOLD, GOLD, first) == 1.0
    assert coverage([["O"]], [["O"]]) == 0.0


def test_without_labellings_there_is_no_coverage() -> None:
    with pytest.raises(DataError, match="at least one labelling"):
        coverage(GOLD)
