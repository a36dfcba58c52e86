"""How data is divided for a comparison: random splits or given folds, and training sizes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.errors import DataError


@dataclass(frozen=True)
class Split:
    """Which units (sequences or documents, by number) to train on and which to test on.

    The training part is in random order, so its first n units are a fair sample of n; that of a
    larger size holds that of a smaller one.
    """

    train: tuple[int, ...]
    test: tuple[int, ...]


def random_splits(
    n_units: int, n_splits: int, *, train_share: float = 0.5, seed: int = 0
) -> list[Split]:
    """Divide at random, again for each split; more splits leave the first ones as they were.

    >>> [split] = random_splits(4, 1, train_share=0.75)
    >>> len(split.train), sorted(split.train + split.test)
    (3, [0, 1, 2, 3])
    """
    n_train = round(n_units * train_share)
    if not 0 < n_train < n_units:
        raise DataError(
            f"{train_share:g} of {n_units} cannot be divided into a part to train on and a part "
            "to test on: give more data or a share between 0 and 1"
        )
    splits = []
    for number in range(n_splits):
        order = np.random.default_rng([seed, number]).permutation(n_units).tolist()
        splits.append(Split(tuple(order[:n_train]), tuple(sorted(order[n_train:]))))
    return splits


def given_folds(folds: Sequence[Hashable], *, seed: int = 0) -> list[Split]:
    """Test on each fold in turn and train on the others; ``folds`` names the fold of each unit.

    >>> [split.test for split in given_folds(["a", "b", "a", "b"])]
    [(0, 2), (1, 3)]
    """
    names = list(dict.fromkeys(folds))
    if len(names) < 2:
        raise DataError(f"a comparison by folds needs at least two folds, not {len(names)}")
    splits = []
    for number, name in enumerate(names):
        others = [unit for unit, fold in enumerate(folds) if fold != name]
        train = np.random.default_rng([seed, number]).permutation(others).tolist()
        test = tuple(unit for unit, fold in enumerate(folds) if fold == name)
        splits.append(Split(tuple(train), test))
    return splits


def draw_folds(
    n_units: int, n_folds: int, *, groups: Sequence[int] | None = None, seed: int = 0
) -> list[int]:
    """A fold for each unit, at random and about equally large; no group is divided.

    >>> sorted(draw_folds(6, 3))
    [0, 0, 1, 1, 2, 2]
    >>> first, second, third = draw_folds(3, 2, groups=[0, 0, 1])
    >>> first == second != third
    True
    """
    random = np.random.default_rng(seed)
    if groups is None:
        return [int(fold) for fold in random.permutation(n_units) % n_folds]
    members = _members(groups)
    if len(members) < n_folds:
        raise DataError(
            f"there are {len(members)} groups of near copies, too few for {n_folds} folds"
        )
    sizes = [0] * n_folds
    folds = [0] * n_units
    drawn = [members[group] for group in random.permutation(list(members)).tolist()]
    for units in sorted(drawn, key=len, reverse=True):
        fold = sizes.index(min(sizes))
        sizes[fold] += len(units)
        for unit in units:
            folds[unit] = fold
    return folds


def grouped_splits(
    groups: Sequence[int], n_splits: int, *, train_share: float = 0.5, seed: int = 0
) -> list[Split]:
    """Random splits in which no group is divided, such as those of
    `dovetail.corpus.near_duplicates`; the training part is as near to its share as whole groups
    allow.

    >>> [split] = grouped_splits([0, 0, 1, 1], 1)
    >>> sorted(split.train), split.test
    ([0, 1], (2, 3))
    """
    members = _members(groups)
    if len(members) < 2:
        raise DataError("all units are of one group, so they cannot be split")
    wanted = round(len(groups) * train_share)
    splits = []
    for number in range(n_splits):
        random = np.random.default_rng([seed, number])
        train: list[int] = []
        for group in random.permutation(list(members)).tolist():
            if len(train) + len(members[group]) <= wanted:
                train += members[group]
        order = random.permutation(train).tolist()
        splits.append(Split(tuple(order), tuple(sorted({*range(len(groups))} - {*train}))))
    return splits


def _members(groups: Sequence[int]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for unit, group in enumerate(groups):
        members.setdefault(group, []).append(unit)
    return members
