"""Texts that are copies of one another but for a few words, and splits that keep them together.

Mail is posted again, a reminder quotes the announcement. Where one copy is trained on and the other
tested on, scores are too good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dovetail.compare import Split
from dovetail.errors import DataError

SHINGLE = 5  # words in a row that are looked for in other texts
SHARED = 0.5  # of the shingles of the shorter text
HEADER = re.compile(r"\A(?:.*\n)*?\s*\n")  # up to the first empty line


def body(text: str) -> str:
    """A mail without its header, which ends at the first empty line.

    >>> body("Time: 3 pm\\n\\nAll are welcome")
    'All are welcome'
    """
    return HEADER.sub("", text, count=1)


def near_copies(
    texts: Sequence[str], *, shingle: int = SHINGLE, shared: float = SHARED
) -> list[int]:
    """A group number for each text: two texts are in one group if the shorter has at least a share
    ``shared`` of its runs of ``shingle`` words in common with the other, or a third one links them.

    >>> near_copies(["a talk on the theory of graphs", "A talk on the theory of trees", "tea at 4"])
    [0, 0, 1]
    """
    sets = [_shingles(text, shingle) for text in texts]
    holders: dict[tuple[str, ...], list[int]] = {}
    for number, own in enumerate(sets):
        for run in own:
            holders.setdefault(run, []).append(number)
    common: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        common.update((a, b) for k, a in enumerate(numbers) for b in numbers[k + 1 :])
    root = list(range(len(texts)))
    for (a, b), count in common.items():
        if count >= shared * min(len(sets[a]), len(sets[b])):
            one, other = sorted((root[a], root[b]))
            root = [one if r == other else r for r in root]
    places = {r: k for k, r in enumerate(dict.fromkeys(root))}
    return [places[r] for r in root]


def _shingles(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[k : k + length]) for k in range(max(len(words) - length + 1, 1))}


def split_by_groups(
    groups: Sequence[int], n_splits: int, *, train_share: float = 0.5, seed: int = 0
) -> list[Split]:
    """Random splits in which no group is divided; the training part is as near to its share as
    whole groups allow.

    >>> [split] = split_by_groups([0, 0, 1, 1], 1)
    >>> sorted(split.train), split.test
    ([0, 1], (2, 3))
    """
    members: dict[int, list[int]] = {}
    for unit, group in enumerate(groups):
        members.setdefault(group, []).append(unit)
    if len(members) < 2:
        raise DataError("all texts are copies of one another, so they cannot be split")
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
