"""Tails of distributions, against SciPy's."""

from __future__ import annotations

import pytest
from scipy import special

from dovetail.evaluate.tails import chi_square_tail, student_tail


@pytest.mark.parametrize("degrees", [1, 2, 3, 9, 29, 100, 999])
@pytest.mark.parametrize("t", [0.0, 1e-3, 0.5, 1.0, 1.5, 2.0, 5.0, 30.0, 1e6])
def test_students_t(t: float, degrees: int) -> None:
    expected = 2 * special.stdtr(degrees, -t)
    assert student_tail(t, degrees) == pytest.approx(expected, rel=1e-11, abs=1e-290)
    assert student_tail(-t, degrees) == student_tail(t, degrees)


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 2.9, 3.0, 3.1, 10.0, 100.0, 1000.0])
def test_chi_square(x: float) -> None:
    assert chi_square_tail(x) == pytest.approx(special.chdtrc(1, x), rel=1e-12)
