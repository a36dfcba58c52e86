"""Entities in news with few and simple features, after Zhang and Johnson (2003)."""

from __future__ import annotations

from dovetail.features.columns import column
from dovetail.features.expressions import Union
from dovetail.features.template import Template

KINDS = (
    "[A-Z].*",  # begins with a capital
    "[A-Z]+",  # all capitals
    "[A-Z][a-z]+",
    ".*[a-z].*[A-Z].*",  # capitals within
    "[0-9]+",
    ".*[0-9].*",
    "(?=.*[0-9])(?=.*[A-Za-z])[0-9A-Za-z]+",
    r"[^\w\s]+",
)


def zhang_johnson(word: str = "word") -> Template:
    """Words and their kinds two tokens around, the beginnings and ends of the word up to four
    letters, and the pattern of capitals around it.

    The features of earlier labels, which belong to these, are the transitions of the chain.
    """
    token = column(word)
    kinds = Union(tuple(token.match(kind) for kind in KINDS))
    capitals = token.short_shape
    return Template(
        token.window(2),
        kinds.window(2),
        token.affixes(4),
        capitals.window(2),
        capitals.ngrams(3, -1, 1),
        capitals.ngrams(5, -2, 2),
    )
