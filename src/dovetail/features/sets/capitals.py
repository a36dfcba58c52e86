"""Patterns of capital letters, as Sutton and McCallum (2005) list them."""

from __future__ import annotations

from dovetail.features.columns import Column
from dovetail.features.expressions import Expression, Union

PATTERNS = ("[A-Z][a-z]+", "[A-Z][A-Z]+", "[A-Z]", "[A-Z]+", "[A-Z]+[a-z]+[A-Z]+[a-z]+")


def capitals(word: Column) -> Expression:
    """A feature for each of the patterns that a word matches."""
    return Union(tuple(word.match(pattern) for pattern in PATTERNS))
