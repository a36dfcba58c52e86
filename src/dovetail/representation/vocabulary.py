"""The vocabulary of a representation: words by number, rare ones grouped by their form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError

Ints = npt.NDArray[np.int32]
Rare = Literal["form", "one"]

OPEN = "\N{MATHEMATICAL LEFT ANGLE BRACKET}"  # no token begins so by chance
CLOSE = "\N{MATHEMATICAL RIGHT ANGLE BRACKET}"
ANY = f"{OPEN}rare{CLOSE}"
SMALLEST_GROUP = 10  # tokens; smaller groups of rare words join a coarser one


class Vocabulary:
    """Words that a representation tells apart; any other is known by its form only.

    A word seen less than ``min_count`` times belongs to a group: with ``rare="form"`` that of words
    alike in capitals, digits, length and ending, the most exact one that has enough tokens; with
    ``rare="one"`` all of them are one group. A word never seen is treated as a rare one.

    >>> vocabulary = Vocabulary.of([["the", "cat", "the", "dog"]], min_count=2, rare="one")
    >>> vocabulary.names
    ('⟨rare⟩', 'the')
    >>> vocabulary.number("the"), vocabulary.number("horse")
    (1, 0)
    """

    def __init__(self, names: Sequence[str], rare: Rare) -> None:
        self.names = tuple(names)
        self.rare: Rare = rare
        self._numbers = {name: number for number, name in enumerate(self.names)}
        if ANY not in self._numbers or len(self._numbers) != len(self.names):
            raise DataError(f"the names of a vocabulary must differ and hold '{ANY}'")

    @classmethod
    def of(
        cls, sequences: Iterable[Iterable[str]], *, min_count: int = 2, rare: Rare = "form"
    ) -> Vocabulary:
        """The vocabulary of some text."""
        column = Column.from_values(word for sequence in sequences for word in sequence)
        return cls.of_columns([column], min_count=min_count, rare=rare)

    @classmethod
    def of_columns(
        cls, columns: Sequence[Column], *, min_count: int = 2, rare: Rare = "form"
    ) -> Vocabulary:
        """The vocabulary of columns of words."""
        counts: dict[str, int] = {}
        for column in columns:
            seen = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
            for word, count in zip(column.levels, seen.tolist(), strict=True):
                if count:
                    counts[word] = counts.get(word, 0) + count
        return cls.of_counts(counts, min_count=min_count, rare=rare)

    @classmethod
    def of_counts(cls, counts: Mapping[str, int], *, min_count: int, rare: Rare) -> Vocabulary:
        """The vocabulary of words that have been counted."""
        if min_count < 1:
            raise DataError(f"min_count is {min_count}; give a number of at least 1")
        if rare not in ("form", "one"):
            raise DataError(f"there is no treatment '{rare}' of rare words: choose form or one")
        known = [word for word, count in counts.items() if count >= min_count and word != ANY]
        groups: dict[str, int] = {}
        if rare == "form":
            few = [(word, count) for word, count in counts.items() if count < min_count]
            groups = _groups(few)
        return cls([ANY, *groups, *(word for word in known if word not in groups)], rare)

    def __len__(self) -> int:
        return len(self.names)

    def number(self, word: str) -> int:
        """The number of a word, or of its group."""
        found = self._numbers.get(word)
        if found is not None:
            return found
        forms = _forms(word) if self.rare == "form" else ()
        return next((self._numbers[form] for form in forms if form in self._numbers), 0)

    def encode(self, column: Column) -> Ints:
        """The numbers of a column's words; a missing value counts as a rare word."""
        used = np.unique(column.codes[column.codes >= 0])
        table = np.zeros(len(column.levels) + 1, np.int32)
        table[used] = [self.number(column.levels[code]) for code in used.tolist()]
        numbers: Ints = table[column.codes]
        return numbers

    def of_corpora(self, corpora: Sequence[Corpus], column: str) -> Ints:
        """The numbers of all tokens of some corpora, one after another."""
        parts = [self.encode(corpus.column(column)) for corpus in corpora]
        return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _groups(rare: Sequence[tuple[str, int]]) -> dict[str, int]:
    """Groups that hold enough tokens, when each rare word joins the most exact one it can."""
    groups: dict[str, int] = {}
    waiting = [(_forms(word), count) for word, count in rare]
    for level in range(len(_forms(""))):
        sizes: dict[str, int] = {}
        for forms, count in waiting:
            sizes[forms[level]] = sizes.get(forms[level], 0) + count
        kept = {form: size for form, size in sizes.items() if size >= SMALLEST_GROUP}
        groups.update(kept)
        waiting = [(forms, count) for forms, count in waiting if forms[level] not in kept]
    return groups


def _forms(word: str) -> tuple[str, ...]:
    """The form of a word, from exact to coarse."""
    shape = _shape(word)
    length = min(len(word), 4)
    lower = word.lower()
    parts = [f" {length}-{lower[-3:]}", f" {length}-{lower[-2:]}", f" {length}-{lower[-1:]}"]
    return tuple(f"{OPEN}{shape}{part}{CLOSE}" for part in (*parts, f" {length}", ""))


def _shape(word: str) -> str:
    if not any(character.isalnum() for character in word):
        return "mark"
    if any(character.isdigit() for character in word):
        return "mixed" if any(character.isalpha() for character in word) else "number"
    if word.islower():
        return "lower"
    if word.isupper():
        return "capitals" if len(word) > 1 else "capital"
    return "capital" if word[:1].isupper() else "plain"
