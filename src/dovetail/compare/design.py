"""How a comparison divides its data, and which differences that lets it find."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.compare.splits import (
    Split,
    draw_folds,
    given_folds,
    grouped_splits,
    random_splits,
)
from dovetail.evaluate.significance import smallest_significant
from dovetail.recipe import Comparison

OUT_OF_REACH = 4.0  # standard deviations that differences hardly ever are
REMEDIES = {
    "splits": "more splits, or a larger share to train on",
    "draws": "more draws, or smaller sizes",
}


def make_splits(
    comparison: Comparison, n_units: int, groups: Sequence[int] | None, seed: int
) -> list[Split]:
    """The splits that a comparison asks for; no group is divided. With test data of its own a split
    is a random order to draw training samples from."""
    if comparison.test:
        orders = (np.random.default_rng([seed, k]) for k in range(comparison.draws))
        return [Split(tuple(order.permutation(n_units).tolist()), ()) for order in orders]
    if comparison.folds is not None:
        folds = draw_folds(n_units, comparison.folds, groups=groups, seed=seed)
        return given_folds(folds, seed=seed)
    n_splits, share = comparison.splits, comparison.train
    if groups is not None:
        return grouped_splits(groups, n_splits, train_share=share, seed=seed)
    return random_splits(n_units, n_splits, train_share=share, seed=seed)


def overlap_of_splits(n_train: int, n_test: int) -> float:
    """What splits of one text have in common, as the corrected test of Nadeau and Bengio (2003)
    estimates it: a correlation of n_test / (n_train + n_test), here as odds."""
    return n_test / n_train


def overlap_of_draws(n_train: int, n_units: int) -> float:
    """The same of samples of one training text, tested on one other text: two of them share
    n_train / n_units of their units on average."""
    return n_train / max(1, n_units - n_train)


def describe_reach(n_splits: int, overlap: float, what: str, trained_on: str) -> str | None:
    """That hardly any difference can be significant, where splits are too few or too unequal. Of a
    single one the table says so itself."""
    if n_splits == 1:
        return None
    least = smallest_significant(n_splits, overlap=overlap)
    if least <= OUT_OF_REACH:
        return None
    return (
        f"with {n_splits} {what} and {trained_on} to train on, a difference has to be {least:.0f} "
        f"times its standard deviation to be significant, which is out of reach: take "
        f"{REMEDIES[what]}"
    )
