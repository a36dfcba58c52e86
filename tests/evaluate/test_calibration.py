"""The reliability of span probabilities."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from dovetail.evaluate import Reliability, span_reliability


def test_calibration_is_by_bins() -> None:
    gold = [["B-X", "O", "B-X", "O"]]
    found = [(k, k + 1, "X", p) for k, p in enumerate((0.95, 0.35, 0.3, 0.0))]
    # In the bins: 0.95 right; 0.35 wrong and 0.3 right; 0.0 wrong.
    assert span_reliability(gold, [found]).error == pytest.approx((0.05 + 0.35 + 0) / 4)
    assert span_reliability([["O"]], [[]]).error is None
    with pytest.raises(ValueError, match="longer than"):
        span_reliability([["O"]], [[], []])
    assert span_reliability([["B-X"]], [[(0, 1, "Y", 1.0)]]).error == 1


def test_reliability_says_what_chance_alone_would_show() -> None:
    """True probabilities have the error by chance in the mean of many texts."""
    rng = np.random.default_rng(0)
    probabilities = rng.uniform(0.2, 1.0, 300)
    errors, expected = [], 0.0
    for _ in range(200):
        right = rng.random(300) < probabilities
        gold = [["B-X" if one else "O" for one in right]]
        found = [[(k, k + 1, "X", float(p)) for k, p in enumerate(probabilities)]]
        reliability = span_reliability(gold, found)
        assert reliability.error is not None
        assert reliability.error_by_chance is not None
        errors.append(reliability.error)
        expected = reliability.error_by_chance
    assert np.mean(errors) == pytest.approx(expected, rel=0.1)


def test_reliability_of_several_texts_is_that_of_all_spans() -> None:
    gold = [["B-X", "O"], ["B-X", "O"]]
    found = [[(0, 1, "X", 0.9), (1, 2, "X", 0.5)], [(0, 1, "Y", 0.55)]]
    each = [span_reliability([g], [f]) for g, f in zip(gold, found, strict=True)]
    kept = [Reliability.from_dict(asdict(one)) for one in each]
    whole = span_reliability(gold, found)
    assert Reliability.pooled(kept).points() == whole.points()
    assert whole.points() == [(pytest.approx(1.05 / 2), 0, 2), (0.9, 1, 1)]
    assert Reliability.pooled([]).error is None
    assert Reliability.pooled([]).error_by_chance is None
    assert Reliability.pooled([]).points() == []
