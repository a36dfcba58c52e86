"""Forecasts on made-up curves."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail.studio.learning.forecast import Forecast, Law, fit_law, forecast


def made_up(law: Law, n: list[int], size: int, seed: int = 0) -> tuple[list[float], list[float]]:
    draw = np.random.default_rng(seed)
    wrong = [float(draw.binomial(size, law.error(k))) for k in n]
    return wrong, [float(size)] * len(n)


def test_a_law_without_noise_is_found() -> None:
    n = list(range(5, 200, 5))
    law = fit_law(n, [100 * 2.0 * k**-0.4 / 2 for k in n], [100.0] * len(n))
    assert (law.level, law.slope) == pytest.approx((1.0, 0.4), rel=1e-6)
    assert law.documents(law.error(150)) == pytest.approx(150)


def test_intervals_hold_what_they_say() -> None:
    law, n = Law(1.5, 0.35), list(range(10, 160, 5))
    truth = law.documents(0.2)
    held = 0
    for seed in range(40):
        found = forecast(n, *made_up(law, n, 40, seed), 0.8, now=155)
        assert isinstance(found, Forecast)
        assert found.low <= found.documents <= found.high
        held += found.low <= truth <= found.high
    assert held >= 30  # of 90 %; so few come by chance once in a thousand times


def test_a_document_without_errors_is_no_obstacle() -> None:
    n = [1, 2, 4, 8] * 5
    law = fit_law(n, [4, 2, 1, 0] * 5, [4.0] * 20)
    assert law.slope > 0.5


def test_what_cannot_be_told_is_not() -> None:
    law, n = Law(1.5, 0.35), list(range(10, 160, 10))
    wrong, of = made_up(law, n, 40)
    assert "needs 15 test documents, and there are 3" in str(
        forecast(n[:3], wrong[:3], of[:3], 0.8, now=30)
    )
    assert "longer way" in str(forecast([100] * 15, wrong, of, 0.8, now=100))
    assert "not risen" in str(forecast(n, sorted(wrong), of, 0.8, now=150))
    assert "as far as now" in str(forecast(n, wrong, of, 0.99, now=150))
