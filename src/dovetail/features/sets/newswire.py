"""Entities in news, after Sutton and McCallum (2005), Table 3."""

from __future__ import annotations

from collections.abc import Mapping

from dovetail.features.columns import column
from dovetail.features.expressions import Expression
from dovetail.features.lexicons import Lexicon
from dovetail.features.sets.capitals import capitals
from dovetail.features.template import Template


def newswire(word: str = "word", lexicons: Mapping[str, Lexicon] | None = None) -> Template:
    """Words, capitals, punctuation and lists of names two tokens around; all pairs of these at the
    token, and of these at the token and the next.

    Lexicons, such as first names, last names and honorifics, are compared in lower case.

    >>> len(newswire().rows)
    105
    """
    token = column(word)
    features: Expression = token | capitals(token) | token.match(r"[^\w\s]+")
    for name in lexicons or {}:
        features |= token.lower.lexicon(name)
    lower = {name: lexicon.lower() for name, lexicon in (lexicons or {}).items()}
    return Template(features.window(2), features.pairs(), features.pairs(1), lexicons=lower)
