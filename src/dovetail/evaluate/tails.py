"""How likely a statistic so far from 0 is by chance, with the same bits on every machine."""

from __future__ import annotations

from math import pi, sqrt

from dovetail.numeric import exp, log1p

TERMS = 200  # of series and continued fractions, more than they need


def student_tail(t: float, degrees: int) -> float:
    """The probability that Student's t is at least so far from 0, on either side.

    >>> round(student_tail(4.302652729749462, 2), 9)
    0.05
    """
    a, square = degrees / 2, t * t
    outside, inside = degrees / (degrees + square), square / (degrees + square)
    front = float(exp(-a * log1p(square / degrees))) * sqrt(inside) / _beta(degrees)
    if outside < (a + 1) / (a + 2.5):
        return front / (a * _beta_fraction(outside, a, 0.5))
    return 1 - front / (0.5 * _beta_fraction(inside, 0.5, a))


def chi_square_tail(x: float) -> float:
    """The probability that chi-square with one degree of freedom is at least so large.

    >>> round(chi_square_tail(3.841458820694124), 9)
    0.05
    """
    y = x / 2
    front = float(exp(-y)) * sqrt(y / pi)
    if y < 1.5:
        term, total = 2.0, 0.0
        for n in range(1, TERMS):
            total += term
            term *= y / (n + 0.5)
        return 1 - front * total
    rest = y
    for n in reversed(range(1, TERMS)):
        rest = y + (n - 0.5) / (1 + n / rest)
    return front / rest


def _beta(degrees: int) -> float:
    """Euler's B(degrees / 2, 1 / 2)."""
    value = pi if degrees % 2 else 2.0
    for k in range(2 - degrees % 2, degrees, 2):
        value *= k / (k + 1)
    return value


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8)."""
    rest = 1.0
    for m in reversed(range(TERMS)):
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        rest = 1 + odd / (1 + even / rest)
    return rest
