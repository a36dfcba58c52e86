"""Fields of seminar announcements, after Sutton and McCallum (2005), Table 1."""

from __future__ import annotations

from collections.abc import Mapping

from dovetail.features.columns import column
from dovetail.features.expressions import Expression
from dovetail.features.lexicons import Lexicon
from dovetail.features.sets.capitals import capitals
from dovetail.features.template import Template


def announcements(
    word: str = "word", pos: str | None = "pos", lexicons: Mapping[str, Lexicon] | None = None
) -> Template:
    """Words, capitals, times, dates, tags and lists of names, all of them four tokens around.

    Lexicons, such as first names, last names and honorifics, are compared as they are written:
    `Will` is a name, and `will` is none.

    >>> print(announcements(pos=None))  # doctest: +ELLIPSIS
    (word | word.match("[A-Z][a-z]+") | ... | word.time | word.date)[-4..4]
    """
    token = column(word)
    features: Expression = token | capitals(token)
    for name in lexicons or {}:
        features |= token.lexicon(name)
    features |= token.time | token.date
    if pos is not None:
        features |= column(pos)
    return Template(features.window(4), lexicons=lexicons)
