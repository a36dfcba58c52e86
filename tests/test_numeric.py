"""Elementary functions to the last place, products, eigenvectors and draws against plain ones."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import special

from dovetail import numeric

EXACTLY = Context(prec=60)
LARGEST, SMALLEST, TINY = 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324


def off(found: float, exact: Decimal) -> float:
    """How far off a number is, in units of the last place of the exact one."""
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


def between(low: float, high: float, n: int = 400, seed: int = 0) -> list[float]:
    return np.random.default_rng(seed).uniform(low, high, n).tolist()


@pytest.mark.parametrize(
    ("low", "high", "most"), [(-1, 1, 0.52), (-708, 709.7, 0.52), (-745, -708, 0.76)]
)
def test_exp_to_the_last_place(low: float, high: float, most: float) -> None:
    given = between(low, high)
    pairs = zip(numeric.exp(given).tolist(), given, strict=True)
    assert max(off(found, EXACTLY.exp(Decimal(x))) for found, x in pairs) < most


@pytest.mark.parametrize(("low", "high"), [(0.5, 2), (0.98, 1.02), (0, 1e-300), (2, LARGEST)])
def test_log_to_the_last_place(low: float, high: float) -> None:
    given = between(low, high)
    pairs = zip(numeric.log(given).tolist(), given, strict=True)
    assert max(off(found, EXACTLY.ln(Decimal(x))) for found, x in pairs) < 0.52


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (-1e-12, 1e-12), (-1e-3, 1e-3), (1, 1e9)])
def test_log1p_to_the_last_place(low: float, high: float) -> None:
    given = between(low, high)
    pairs = zip(numeric.log1p(given).tolist(), given, strict=True)
    assert max(off(found, EXACTLY.ln(EXACTLY.add(1, Decimal(x)))) for found, x in pairs) < 1.5


def test_ends_of_the_range() -> None:
    inf = math.inf
    given = [0.0, -0.0, inf, -inf, 709.782712893384, 709.7827128933841, -745.1332191019411, -745.14]
    highest = 1.7976931348622732e308
    assert numeric.exp(given).tolist() == [1, 1, inf, 0, highest, inf, TINY, 0]
    given = [0.0, -0.0, inf, 1.0, SMALLEST, TINY, LARGEST]
    assert numeric.log(given).tolist() == [-inf, -inf, inf, 0, *map(math.log, given[4:])]
    assert numeric.log1p([0.0, -1.0, inf, TINY, LARGEST]).tolist() == [
        0, -inf, inf, TINY, math.log(LARGEST),
    ]  # fmt: skip
    assert math.copysign(1, float(numeric.log1p(-0.0))) == -1
    assert np.isnan(numeric.log([-1.0, -inf, math.nan, -TINY])).all()
    assert np.isnan(numeric.log1p([-1.1, math.nan])).all()
    assert np.isnan(numeric.exp(math.nan))


def test_digamma_is_that_of_scipy() -> None:
    given = np.array([*between(0, 20), *(10.0 ** np.array(between(-300, 300))), 1.0, 10.0])
    found = numeric.digamma(given)
    scale = np.maximum(1.0, np.abs(found))
    assert np.abs((found - special.digamma(given)) / scale).max() < 5e-15
    assert numeric.digamma(0.0) == -math.inf
    assert np.isnan(numeric.digamma(-1.5))


def test_shapes_stay_as_they_are() -> None:
    given = np.ones((3, 4, 2))
    assert numeric.exp(given[:, ::2]).shape == (3, 2, 2)
    assert numeric.exp(given.T).tolist() == np.full((2, 4, 3), math.exp(1)).tolist()
    assert numeric.log(np.zeros((0, 3))).shape == (0, 3)
    assert numeric.log(2).shape == ()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n", "inner", "m"), [(1, 1, 1), (7, 0, 3), (0, 4, 2), (5, 300, 1), (13, 700, 37), (260, 9, 90)]
)
def test_products_are_those_of_numpy(n: int, inner: int, m: int, kind: type) -> None:
    draw = np.random.default_rng(0)
    a, b = draw.normal(size=(n, inner)).astype(kind), draw.normal(size=(inner, m)).astype(kind)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    found = numeric.matmul(a, b)
    assert found.dtype == kind
    assert found.shape == (n, m)
    precise = 1e-5 if kind is np.float32 else 1e-13
    assert np.allclose(found, expected, rtol=0, atol=precise * max(1, inner))
    for threads, one, other in product(
        (1, 3), (a, np.asfortranarray(a)), (b, np.asfortranarray(b))
    ):
        assert numeric.matmul(one, other, threads=threads).tobytes() == found.tobytes()
    reversed_twice = numeric.matmul(a[::-1], b[:, ::-1])[::-1, ::-1]
    assert reversed_twice.tobytes() == found.tobytes()


def test_a_product_is_summed_in_order() -> None:
    a, b = np.random.default_rng(0).random((2, 500))
    total = 0.0
    for first in (0, 256):
        total += sum(np.cumsum(a[first : first + 256] * b[first : first + 256])[-1:])
    assert numeric.matmul(a[None], b[:, None])[0, 0] == total


def test_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        numeric.matmul(np.ones((2, 3)), np.ones((2, 3)))


def symmetric(n: int, rank: int, seed: int = 0) -> np.ndarray:
    part = np.random.default_rng(seed).normal(size=(n, rank))
    return np.asarray(part @ part.T)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((0, 0)),
        np.array([[-3.0]]),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.zeros((4, 4)),
        np.diag([2.0, 0.0, 2.0, -1.0]),
        np.ones((6, 6)),
        1e200 * symmetric(9, 9),
        1e-200 * symmetric(9, 3),
        symmetric(90, 90),
        symmetric(90, 7),
        np.kron(np.eye(3), symmetric(5, 5)),
    ],
)
def test_eigenvectors_make_the_matrix(matrix: np.ndarray) -> None:
    values, vectors = numeric.eigh(matrix)
    n, size = len(matrix), np.abs(matrix).max(initial=0.0)
    assert (np.diff(values) >= 0).all()
    assert np.abs(vectors.T @ vectors - np.eye(n)).max(initial=0.0) < 1e-13
    assert np.abs((vectors * values) @ vectors.T - matrix).max(initial=0.0) <= 1e-13 * n * size
    assert (vectors.max(axis=0, initial=0) >= -vectors.min(axis=0, initial=0)).all()
    again = numeric.eigh(matrix, threads=3)
    assert [values.tobytes(), vectors.tobytes()] == [each.tobytes() for each in again]


def test_sparse_products_are_those_of_full_matrices() -> None:
    draw = np.random.default_rng(0)
    full = draw.random((20, 9)) * (draw.random((20, 9)) < 0.2)
    rows, columns = np.nonzero(full)
    bounds = np.searchsorted(rows, np.arange(21))
    matrix = numeric.SparseMatrix(bounds, columns, full[rows, columns], 9)
    table, other = draw.random((9, 4)), draw.random((20, 3))
    assert np.allclose(matrix.matmul(table), full @ table)
    assert np.allclose(matrix.transposed_matmul(other), full.T @ other)
    with pytest.raises(IndexError, match="column"):
        numeric.SparseMatrix(bounds, columns + 1, full[rows, columns], 9).matmul(table)


def test_draws_have_the_distribution_of_draws() -> None:
    n, frequencies = 5, np.array([1, 0, 3, 2])
    drawn = numeric.multinomial(n, frequencies, 60_000, seed=3)
    assert (drawn.sum(axis=1) == n).all()
    combinations, counts = np.unique(drawn, axis=0, return_counts=True)
    shares = [Fraction(int(f), int(frequencies.sum())) for f in frequencies]
    expected = []
    for combination in combinations.tolist():
        ways = math.factorial(n) // math.prod(map(math.factorial, combination))
        chances = math.prod(s**k for s, k in zip(shares, combination, strict=True))
        expected.append(float(len(drawn) * ways * chances))
    assert sum(expected) == pytest.approx(len(drawn), rel=1e-3)
    surprise = sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True))
    assert surprise < special.chdtri(len(expected) - 1, 1e-4)


def test_draws_are_the_same_for_the_same_seed() -> None:
    first, second, other = (numeric.multinomial(9, [1, 2, 3], 50, seed) for seed in (1, 1, 2))
    assert (first == second).all()
    assert (first != other).any()
    large = numeric.multinomial(10**6, [1, 3], 100, seed=0)[:, 0]
    assert abs(large.mean() / 10**6 - 0.25) < 0.001
