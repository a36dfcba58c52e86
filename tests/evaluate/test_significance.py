from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dovetail.errors import DataError
from dovetail.evaluate.significance import (
    compare_paired,
    corrected_t_test,
    count_wins,
    paired_t_test,
    smallest_significant,
)

scores = st.floats(0, 1, allow_subnormal=False)


@given(st.lists(st.tuples(scores, scores), min_size=2, max_size=12))
def test_paired_t_test_is_that_of_scipy(pairs) -> None:
    first, second = zip(*pairs, strict=True)
    differences = np.subtract(first, second)
    test = paired_t_test(first, second)
    assert test is not None
    if np.std(differences, ddof=1) < 1e-9:
        return
    expected = stats.ttest_rel(first, second)
    assert (test.t, test.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
    assert test.degrees == expected.df


def test_corrected_test_by_hand() -> None:
    first, second = [0.80, 0.82, 0.79, 0.85], [0.78, 0.81, 0.80, 0.81]
    # differences 2, 1, -1, 4 per cent: mean 1.5, variance (0.25 + 0.25 + 6.25 + 6.25) / 3 = 13 / 3
    test = corrected_t_test(first, second, n_train=90, n_test=30)
    assert test is not None
    t = 1.5 / math.sqrt((1 / 4 + 1 / 3) * 13 / 3)
    assert (test.t, test.degrees) == (pytest.approx(t), 3)
    assert test.p == pytest.approx(2 * stats.t.sf(t, 3))


def test_correction_never_makes_a_difference_surer() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 10))
    plain, little, much = (
        paired_t_test(first, second),
        corrected_t_test(first, second, n_train=1e9, n_test=1),
        corrected_t_test(first, second, n_train=1, n_test=1),
    )
    assert plain is not None
    assert little is not None
    assert much is not None
    assert little.p == pytest.approx(plain.p)
    assert much.p > plain.p


def test_one_split_is_not_tested() -> None:
    found = compare_paired([0.8], [0.7], n_train=1, n_test=1)
    assert found.mean == pytest.approx(0.1)
    assert found.wins == (1, 0, 0)
    assert found.deviation is found.test is found.corrected is None


def test_equal_differences_are_certain() -> None:
    same = compare_paired([0.7, 0.8], [0.7, 0.8], n_train=1, n_test=1)
    assert same.test == same.corrected == (0, 1, 1)
    assert same.wins == (0, 0, 2)
    worse = compare_paired([0.1, 0.3, 0.7], [0.3, 0.5, 0.9], n_train=1, n_test=1)
    assert worse.test == worse.corrected == (-math.inf, 2, 0)
    assert worse.wins == (0, 3, 0)


def test_wins_leave_out_what_rounding_makes() -> None:
    assert count_wins([0.1 + 0.2, 0.5, 0.4], [0.3, 0.4, 0.5]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [([1], [1, 2], "1 scores .* and 2"), ([], [], "0 scores"), ([math.nan], [1], "not a finite")],
)
def test_bad_scores_are_refused(first, second, message) -> None:
    with pytest.raises(DataError, match=message):
        compare_paired(first, second, n_train=1, n_test=1)


def test_empty_parts_are_refused() -> None:
    with pytest.raises(DataError, match="0 to train on"):
        corrected_t_test([1, 2], [1, 1], n_train=0, n_test=5)


@pytest.mark.parametrize(("n", "overlap", "level"), [(2, 9, 0.05), (7, 0.2, 0.01), (30, 1, 0.5)])
def test_the_smallest_difference_that_is_found(n: int, overlap: float, level: float) -> None:
    expected = stats.t.ppf(1 - level / 2, n - 1) * math.sqrt(1 / n + overlap)
    found = smallest_significant(n, overlap=overlap, level=level)
    assert found == pytest.approx(expected, rel=1e-8)
    assert smallest_significant(n, overlap=1) == smallest_significant(n, overlap=1, level=0.05)
    assert smallest_significant(1, overlap=overlap) == math.inf


def test_parts_of_a_split_may_be_less_than_one_but_not_nothing() -> None:
    assert corrected_t_test([1, 2], [3, 3], n_train=0.5, n_test=0.5) is not None
    for n_train, n_test in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(DataError, match="must hold something"):
            corrected_t_test([1, 2], [3, 3], n_train=n_train, n_test=n_test)
