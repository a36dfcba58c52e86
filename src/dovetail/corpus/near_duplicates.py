"""Near-duplicates: texts that differ by a few words.

Mail is posted again, a reminder quotes the announcement. Where one copy is trained on and the other
tested on, scores are too good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

SHINGLE = 5  # words in a row that are looked for in other texts
SHARED = 0.5  # of the shingles of the shorter text

Shingles = frozenset[tuple[str, ...]]


class Copy(NamedTuple):
    """Which of the other texts a text is a copy of, and whether it has just the same words."""

    of: int
    exact: bool


def near_duplicates(
    texts: Sequence[str], *, shingle: int = SHINGLE, shared: float = SHARED
) -> list[int]:
    """A group number for each text: two texts are in one group if the shorter has at least a share
    ``shared`` of its runs of ``shingle`` words in common with the other, or a third one links them.

    >>> near_duplicates(["a talk on theory of graphs", "A talk on theory of trees", "tea at 4"])
    [0, 0, 1]
    """
    places: dict[Shingles, int] = {}
    number_of = [places.setdefault(_shingles(text, shingle), len(places)) for text in texts]
    sets = list(places)
    common: Counter[tuple[int, int]] = Counter()
    for numbers in _holders(sets).values():
        common.update((a, b) for k, a in enumerate(numbers) for b in numbers[k + 1 :])
    root = list(range(len(sets)))
    for (a, b), count in common.items():
        if count >= shared * min(len(sets[a]), len(sets[b])):
            one, other = sorted((_find_root(root, a), _find_root(root, b)))
            root[other] = one
    roots = [_find_root(root, number) for number in number_of]
    groups = {r: k for k, r in enumerate(dict.fromkeys(roots))}
    return [groups[r] for r in roots]


def find_copies(
    texts: Sequence[str],
    others: Sequence[str],
    *,
    shingle: int = SHINGLE,
    shared: float = SHARED,
) -> list[Copy | None]:
    """For each text the other one that has at least a share ``shared`` of its runs of ``shingle``
    words, or None. Texts of fewer words are left alone: they may well be the same by chance.

    >>> find_copies(["We met in the old town", "Yes"], ["Yes", "we met in the old inn"])
    [Copy(of=1, exact=False), None]
    """
    holders = _holders(_shingles(text, shingle) for text in others)
    exact: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(others):
        exact.setdefault(_words(text), number)
    found: list[Copy | None] = []
    for text in texts:
        words = _words(text)
        if len(words) < shingle:
            found.append(None)
        elif words in exact:
            found.append(Copy(exact[words], True))
        else:
            own = _shingles(text, shingle)
            common = Counter(number for run in own for number in holders.get(run, ()))
            nearest = min(common, key=lambda number: (-common[number], number), default=None)
            if nearest is None or common[nearest] < shared * len(own):
                found.append(None)
            else:
                found.append(Copy(nearest, False))
    return found


def _find_root(root: list[int], number: int) -> int:
    while root[number] != number:
        root[number] = root[root[number]]
        number = root[number]
    return number


def _holders(sets: Iterable[Shingles]) -> dict[tuple[str, ...], list[int]]:
    """The numbers of the texts that have a shingle."""
    holders: dict[tuple[str, ...], list[int]] = {}
    for number, own in enumerate(sets):
        for run in own:
            holders.setdefault(run, []).append(number)
    return holders


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))


def _shingles(text: str, length: int) -> Shingles:
    words = _words(text)
    return frozenset(words[k : k + length] for k in range(max(len(words) - length + 1, 1)))
