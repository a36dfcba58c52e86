"""Stacked sequential learning: a tagger that also sees the answers of another around each token."""

from __future__ import annotations

from typing import Any

from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError
from dovetail.features import Template, column


def stack_taggers(
    name: str, features: Template, *, window: int = 5, **settings: Any
) -> dict[str, Tagger]:
    """Two taggers for one task, as layers of a pipeline (Cohen and Carvalho, 2005).

    The first, called ``name@base``, has these features; the second has them too, and the first's
    labels at the tokens up to ``window`` places away. Trained on one corpus, the column between
    them is cross-fitted.

    >>> layers = stack_taggers("fields", Template(column("word")), window=2)
    >>> print(layers["fields"].features)
    word
    "fields@base"[-2..2]
    """
    if window < 0:
        raise DataError(f"window is {window}; give a number of at least 0")
    base = f"{name}@base"
    upper = Template(
        *features.expressions,
        column(base).window(window),
        lexicons=features.lexicons,
        tables=features.tables,
    )
    return {base: Tagger(features=features, **settings), name: Tagger(features=upper, **settings)}
