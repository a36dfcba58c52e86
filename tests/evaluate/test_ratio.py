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
