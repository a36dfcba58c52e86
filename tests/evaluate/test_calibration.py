"""The expected calibration error of spans."""

from __future__ import annotations

import pytest

from dovetail.evaluate import span_calibration_error


def test_calibration_is_by_bins() -> None:
    gold = [["B-X", "O", "B-X", "O"]]
    found = [(k, k + 1, "X", p) for k, p in enumerate((0.95, 0.35, 0.3, 0.0))]
    # In the bins: 0.95 right; 0.35 wrong and 0.3 right; 0.0 wrong.
    assert span_calibration_error(gold, [found]) == pytest.approx((0.05 + 0.35 + 0) / 4)
    assert span_calibration_error([["O"]], [[]]) is None
    assert span_calibration_error([["B-X"]], [[(0, 1, "Y", 1.0)]]) == 1
