"""Whether two proportions differ: the chi-square test with Yates' correction."""

from __future__ import annotations

from dovetail.evaluate.tails import chi_square_tail


def chi_square_test(right: int, total: int, other_right: int, other_total: int) -> float:
    """The two-sided p-value of two shares of right answers, as of independent samples (Yates 1934).

    It says less than it could of systems on the same tokens, as it does not pair them.

    >>> round(chi_square_test(80, 100, 90, 100), 4)
    0.0747
    >>> chi_square_test(5, 10, 5, 10)
    1.0
    """
    wrong, other_wrong = total - right, other_total - other_right
    n, all_right = total + other_total, right + other_right
    below = total * other_total * all_right * (n - all_right)
    if not below:
        return 1.0
    apart = max(abs(right * other_wrong - other_right * wrong) - n / 2, 0.0)
    return chi_square_tail(n * (apart * apart) / below)
