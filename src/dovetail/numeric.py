"""Arithmetic that gives the same bits on every CPU.

NumPy, the BLAS below it and the C library choose other code for other CPUs, and their exponentials,
logarithms, products of matrices and decompositions differ in the last place. What a result depends
on is computed here instead. Additions, multiplications, divisions, square roots and `numpy.sum`
are the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dovetail import _native

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Real = TypeVar("Real", np.float32, np.float64)


def exp(x: npt.ArrayLike) -> Doubles:
    """The exponential of each element.

    >>> exp([0.0, -np.inf]).tolist()
    [1.0, 0.0]
    """
    return np.asarray(_native.exp(_doubles(x)))


def log(x: npt.ArrayLike) -> Doubles:
    """The natural logarithm of each element: -inf of 0, nan below.

    >>> log([1.0, 0.0]).tolist()
    [0.0, -inf]
    """
    return np.asarray(_native.log(_doubles(x)))


def log1p(x: npt.ArrayLike) -> Doubles:
    """log(1 + x) of each element."""
    return np.asarray(_native.log1p(_doubles(x)))


def digamma(x: npt.ArrayLike) -> Doubles:
    """The derivative of log Gamma at each element, for elements above 0."""
    return np.asarray(_native.digamma(_doubles(x)))


def dot(a: Doubles, b: Doubles) -> float:
    """The sum of products of elements.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.sum(a * b))


def norm(a: Doubles) -> float:
    """The Euclidean length."""
    return float(np.sqrt(np.sum(a * a)))


def matmul(a: npt.NDArray[Real], b: npt.NDArray[Real], *, threads: int = 1) -> npt.NDArray[Real]:
    """The product of two matrices of one precision, single or double.

    >>> matmul(np.eye(2), np.array([[1.0], [2.0]]))
    array([[1.],
           [2.]])
    """
    product: Any = _native.double_matrix_product
    if a.dtype == np.float32:
        product = _native.single_matrix_product
    return np.asarray(product(a, b, threads))


def eigh(matrix: Doubles, *, threads: int = 1) -> tuple[Doubles, Doubles]:
    """Eigenvalues of a symmetric matrix in rising order, and their eigenvectors as columns. In each
    of these, the element that is furthest from 0 is above it.

    >>> eigh(np.array([[0.0, 2.0], [2.0, 0.0]]))[0]
    array([-2.,  2.])
    """
    values, rows = map(np.asarray, _native.symmetric_eigen(_doubles(matrix), threads))
    order = np.argsort(values, kind="stable")
    rows = rows[order]
    is_below = rows.max(axis=1, initial=0.0) < -rows.min(axis=1, initial=0.0)
    signs = np.where(is_below, -1.0, 1.0)
    return values[order], (rows * signs[:, None]).T


def multinomial(n: int, frequencies: npt.ArrayLike, times: int, seed: int) -> Ints:
    """How often things come up in n draws with probabilities in proportion to whole numbers, drawn
    so many times over, [times x things].

    >>> multinomial(3, [1, 0], 2, seed=0).tolist()
    [[3, 0], [3, 0]]
    """
    weights = np.ascontiguousarray(frequencies, np.int64)
    return np.asarray(_native.multinomial(n, weights, times, seed))


@dataclass(frozen=True)
class SparseMatrix:
    """Rows of few values: those of row i, with their columns, lie from one bound to the next."""

    bounds: Ints
    columns: Ints
    values: Doubles
    n_columns: int

    @property
    def n_rows(self) -> int:
        return len(self.bounds) - 1

    def matmul(self, table: Doubles) -> Doubles:
        """The product with a table that has a row for each column.

        >>> matrix = SparseMatrix(np.array([0, 1, 1]), np.array([1]), np.array([2.0]), 2)
        >>> matrix.matmul(np.array([[3.0], [4.0]])).tolist()
        [[8.0], [0.0]]
        """
        found = _native.sparse_product(self.bounds, self.columns, self.values, _doubles(table))
        return np.asarray(found)

    def transposed_matmul(self, table: Doubles) -> Doubles:
        """The product of its transpose with a table that has a row for each row."""
        found = _native.sparse_transposed_product(
            self.bounds, self.columns, self.values, _doubles(table), self.n_columns
        )
        return np.asarray(found)


def _doubles(x: npt.ArrayLike) -> Doubles:
    return np.asarray(x, np.float64, order="C")
