"""Whether a difference is more than chance."""

import numpy as np

from dovetail.evaluate.ratio import ratio


def test_a_ratio_and_its_influences():
    measured = ratio(np.array([1.0, 0.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    assert measured.score == 0.5
    np.testing.assert_allclose(measured.influence, [0.125, -0.125, 0.0])


def test_no_units_give_no_score():
    assert ratio(np.zeros(0), np.zeros(0)).score == 0.0


def test_the_error_of_a_difference_is_that_of_many_resamples():
    rng = np.random.default_rng(0)
    of = np.ones(400)
    better, worse = (rng.random(400) < p for p in (0.72, 0.65))
    drawn = rng.integers(400, size=(4000, 400))
    spread = (better[drawn].mean(1) - worse[drawn].mean(1)).std()
    a, b = ratio(better.astype(float), of), ratio(worse.astype(float), of)
    assert abs(np.sqrt(np.sum((a.influence - b.influence) ** 2)) / spread - 1) < 0.05


def test_clearly_better_needs_more_than_one_lucky_unit():
    of, few, many = np.ones(20), np.zeros(20), np.zeros(20)
    few[0] = 1.0
    many[:6] = 1.0
    none = ratio(np.zeros(20), of)
    assert not ratio(few, of).is_significantly_better(none)
    assert ratio(many, of).is_significantly_better(none)
    assert not none.is_significantly_better(none)


def test_a_prior_is_added_to_both_sums():
    assert ratio(np.array([3.0]), np.array([4.0])).smoothed_score(2.0, 6.0) == 0.5
    assert ratio(np.zeros(0), np.zeros(0)).total == 1


def test_better_is_by_the_standard_errors_of_the_difference_on_the_same_units():
    of = np.ones(100)
    share = np.zeros(100)
    share[:50] = 1.0
    more, none = share.copy(), ratio(share, of)
    more[50:53] = 1.0  # by 3 of 100, whose standard error is about 1.71
    better = ratio(more, of)
    assert better.is_significantly_better(none)
    assert better.is_significantly_better(none, margin=1.7)
    assert not better.is_significantly_better(none, margin=1.8)
    assert not none.is_significantly_better(better)
    more[52] = 0.0  # by 2, whose standard error is about 1.4
    assert not ratio(more, of).is_significantly_better(none)
    assert ratio(more, of).is_significantly_better(none, margin=1.4)
