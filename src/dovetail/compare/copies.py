"""Text that is tested on and is in the training text too: how much of it there is, in words.

Scores on copies say how well a system remembers, not how well it labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus, find_copies, near_duplicates
from dovetail.corpus.near_duplicates import SHINGLE

EXAMPLE = 60  # characters

Bounds = npt.NDArray[np.int64]


def unit_bounds(corpus: Corpus) -> tuple[Bounds, str]:
    """Where the units of a corpus begin and end, which splits do not divide, and what they are:
    documents, where there are several, or sequences."""
    documents = corpus.document_bounds
    if documents is not None and len(documents) > 2:
        return documents, "documents"
    return np.arange(len(corpus) + 1), "sequences"


def unit_texts(corpus: Corpus, column: str, bounds: Bounds) -> list[str]:
    """The words of each unit, in one text."""
    words = [" ".join(word or "" for word in own) for own in corpus.lists(column)]
    return [" ".join(words[a:b]) for a, b in pairwise(bounds.tolist())]


def describe_copies(train: Corpus, test: Corpus, column: str, what: str) -> str | None:
    """How much of a text is in the training text, with an example; None where nothing is.

    >>> train = Corpus.from_lists({"word": [["we", "met", "in", "the", "old", "town"]]})
    >>> describe_copies(train, train, "word", "test text").partition(", such")[0]
    '1 of 1 sequences of the test text also occur in the training text, 1 of them word for word'
    """
    units = [unit_bounds(corpus) for corpus in (train, test)]
    unit = "documents" if all(name == "documents" for _, name in units) else "sequences"
    others, texts = (
        unit_texts(corpus, column, bounds if unit == name else np.arange(len(corpus) + 1))
        for corpus, (bounds, name) in zip((train, test), units, strict=True)
    )
    found = find_copies(texts, others)
    copies = [number for number, copy in enumerate(found) if copy is not None]
    if not copies:
        return None
    exact = sum(copy.exact for copy in found if copy is not None)
    example = f"{unit[:-1]} {copies[0] + 1}, {_shorten(texts[copies[0]])!r}"
    return (
        f"{len(copies):,} of {len(texts):,} {unit} of the {what} also occur in the training text, "
        f"{exact or 'none'} of them word for word, such as {example}: scores on them are too high"
    )


def describe_groups(groups: Sequence[int], texts: Sequence[str], unit: str) -> str | None:
    """How many units are near copies of another, so that splits may test on what they train on."""
    sizes = Counter(groups)
    copies = [number for number, group in enumerate(groups) if sizes[group] > 1]
    if not copies:
        return None
    other = next(k for k in copies[1:] if groups[k] == groups[copies[0]])
    return (
        f"{len(copies):,} of {len(groups):,} {unit} are copies or near copies of others, such as "
        f"{unit} {copies[0] + 1} and {other + 1}, {_shorten(texts[copies[0]])!r}: splits may test "
        "on text that they train on, and scores be too good"
    )


def group_units(texts: Sequence[str]) -> list[int]:
    """A group number for each unit, the same for near copies. Those of few words are groups of
    their own: they may well be the same by chance."""
    groups = near_duplicates(texts)
    short = [k for k, text in enumerate(texts) if len(text.split()) < SHINGLE]
    for place, number in enumerate(short):
        groups[number] = len(texts) + place
    return groups


def _shorten(text: str) -> str:
    return text if len(text) <= EXAMPLE else f"{text[:EXAMPLE].rstrip()}..."
