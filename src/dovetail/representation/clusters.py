"""Clusters of vectors: k-means (Lloyd 1982) from seeds that are far apart (Arthur and
Vassilvitskii 2007)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dovetail.numeric import matmul

ROUNDS = 20  # at most
AT_ONCE = 4096  # vectors whose distances are held together

Numbers = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.float64]


def cluster_vectors(vectors: npt.NDArray[np.floating], n: int, seed: int) -> Numbers:
    """The number of each vector's cluster, of n; a cluster may be empty where vectors are alike.

    >>> numbers = cluster_vectors(np.array([[0.0], [9.0], [0.1]]), 2, seed=0).tolist()
    >>> numbers in ([0, 1, 0], [1, 0, 1])
    True
    """
    rows = np.asarray(vectors, np.float64)
    middles = _far_apart(rows, n, np.random.default_rng(seed))
    found = _nearest(rows, middles)
    for _ in range(ROUNDS - 1):
        middles = _means(rows, found, middles)
        before, found = found, _nearest(rows, middles)
        if (before == found).all():
            break
    return found


def _far_apart(rows: Vectors, n: int, draw: np.random.Generator) -> Vectors:
    """Some of the vectors, each drawn in proportion to its squared distance from the others."""
    chosen = [int(draw.integers(len(rows)))]
    far = np.full(len(rows), np.inf)
    while len(chosen) < n:
        apart = rows - rows[chosen[-1]]
        far = np.minimum(far, np.sum(apart * apart, axis=1))
        running = np.cumsum(far)
        place = np.searchsorted(running, draw.random() * running[-1], side="right")
        chosen.append(min(int(place), len(rows) - 1))
    return rows[chosen]


def _nearest(rows: Vectors, middles: Vectors) -> Numbers:
    """The middle that is nearest to each vector x, where |m|^2 - 2 m.x is least."""
    squares = np.sum(middles * middles, axis=1)
    found = np.empty(len(rows), np.int32)
    for first in range(0, len(rows), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        found[some] = (squares - 2 * matmul(rows[some], middles.T)).argmin(axis=1)
    return found


def _means(rows: Vectors, found: Numbers, before: Vectors) -> Vectors:
    """The mean of each cluster; the middle that it had where it is empty."""
    n = len(before)
    counts = np.bincount(found, minlength=n)[:, None]
    sums = np.stack([np.bincount(found, column, n) for column in rows.T], axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), before)
