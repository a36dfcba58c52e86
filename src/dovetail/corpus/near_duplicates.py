"""Near-duplicates: texts that differ by a few words.

Mail is posted again, a reminder quotes the announcement. Where one copy is trained on and the other
tested on, scores are too good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

SHINGLE = 5  # words in a row that are looked for in other texts
SHARED = 0.5  # of the shingles of the shorter text


def near_duplicates(
    texts: Sequence[str], *, shingle: int = SHINGLE, shared: float = SHARED
) -> list[int]:
    """A group number for each text: two texts are in one group if the shorter has at least a share
    ``shared`` of its runs of ``shingle`` words in common with the other, or a third one links them.

    >>> near_duplicates(["a talk on theory of graphs", "A talk on theory of trees", "tea at 4"])
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
