"""Clusters of vectors."""

from __future__ import annotations

import numpy as np

from dovetail.representation.clusters import cluster_vectors


def test_groups_that_are_apart_are_found() -> None:
    draw = np.random.default_rng(0)
    true = draw.integers(6, size=300)
    vectors = 20.0 * np.eye(6)[true] + draw.normal(size=(300, 6))
    found = cluster_vectors(vectors, 6, seed=1)
    assert len(set(zip(true.tolist(), found.tolist(), strict=True))) == 6


def test_every_vector_is_in_the_cluster_whose_mean_is_nearest() -> None:
    vectors = np.random.default_rng(0).random((60, 3))
    found = cluster_vectors(vectors, 4, seed=0)
    means = np.array([vectors[found == k].mean(axis=0) for k in range(4)])
    apart = ((vectors[:, None] - means) ** 2).sum(axis=2)
    assert (apart.argmin(axis=1) == found).all()


def test_vectors_that_are_all_alike() -> None:
    assert len(set(cluster_vectors(np.ones((5, 2)), 3, seed=0).tolist())) == 1
