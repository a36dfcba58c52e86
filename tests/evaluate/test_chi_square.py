"""The chi-square test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.evaluate import chi_square_test


@settings(deadline=None)  # the first example imports scipy.stats
@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_chi_square_is_that_of_scipy(total: int, other: int, data: st.DataObject) -> None:
    from scipy.stats import chi2_contingency

    right, other_right = (data.draw(st.integers(0, n)) for n in (total, other))
    table = np.array([[right, total - right], [other_right, other - other_right]])
    if (table.sum(axis=0) == 0).any():
        assert chi_square_test(right, total, other_right, other) == 1
    else:
        expected = chi2_contingency(table, correction=True).pvalue
        assert chi_square_test(right, total, other_right, other) == pytest.approx(expected)
