"""Patterns of capital letters: those that Sutton and McCallum (2005) list, and coarser ones."""

from __future__ import annotations

from dovetail.features.columns import Column
from dovetail.features.expressions import Expression, Union

PATTERNS = ("[A-Z][a-z]+", "[A-Z][A-Z]+", "[A-Z]", "[A-Z]+", "[A-Z]+[a-z]+[A-Z]+[a-z]+")

# Of short shapes: a word with a capital letter first, one in capitals, a number.
COARSE = ("^Xx?([^Xx]+Xx?)*$", "^[^x]*X[^x]*$", "^d+$")

MEANINGS = ("title case", "capitals", "number")


def readable_name(feature: str) -> str:
    """The name of a feature, for people: patterns of the default features as what they mean.

    >>> readable_name('word.short_shape.test("^d+$")[1]=false')
    'word.⟨number⟩[1]=false'
    """
    for pattern, meaning in zip(COARSE, MEANINGS, strict=True):
        feature = feature.replace(f'.short_shape.test("{pattern}")', f".⟨{meaning}⟩")
    return feature


def letter_case(word: Column) -> Expression:
    """Whether a word is in title case, whether in capitals, whether a number.

    From a few examples such yes-or-no features are learnt before any shape is.
    """
    return Union(tuple(word.short_shape.test(pattern) for pattern in COARSE))


def capitals(word: Column) -> Expression:
    """A feature for each of the patterns that a word matches."""
    return Union(tuple(word.match(pattern) for pattern in PATTERNS))
