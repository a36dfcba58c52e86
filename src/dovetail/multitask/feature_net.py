"""Feature nets: another annotator's column in a CRF, in compound features only."""

from __future__ import annotations

from typing import Any

from dovetail.chain.tagger import Tagger
from dovetail.features import Template, column


def compound(
    features: Template, name: str, word: str = "word", pos: str | None = "pos"
) -> Template:
    """A template that also reads the column ``name``, in conjunctions with words and parts of
    speech alone (He et al. 2009, Table 2): what is wrong in it can so be outvoted.

    >>> print(compound(Template(column("word")), "aso"))
    word
    (word & aso)[-1..1]
    (pos & aso)[-2..1]
    (word & pos & aso)[-1..1]
    aso[-1] & pos & aso[1]
    """
    w, a = column(word), column(name)
    added = [(w & a).window(1)]
    if pos is None:
        added.append(a[-1] & w & a[1])
    else:
        p = column(pos)
        added += [(p & a).window(-2, 1), (w & p & a).window(1), a[-1] & p & a[1]]
    return Template(
        *features.expressions, *added, lexicons=features.lexicons, tables=features.tables
    )


def feature_net(
    name: str,
    features: Template,
    below: Any,
    *,
    word: str = "word",
    pos: str | None = "pos",
    **settings: Any,
) -> dict[str, Any]:
    """Two layers of a pipeline for one task: ``below``, such as an `ASO`, called ``name@below``,
    and a CRF that reads its column in compound features. ``settings`` are those of the `Tagger`.

    What the CRF reads in training is for `Pipeline.fit` to say: ``training="gold"`` is the true
    labels, as in He et al. (2009); ``cascade`` the labels that models give which were trained on
    other parts of the text; ``soft`` their probabilities.

    >>> from dovetail.multitask import LinearTagger
    >>> list(feature_net("chunk", Template(column("word")), LinearTagger()))
    ['chunk@below', 'chunk']
    """
    under = f"{name}@below"
    upper = Tagger(features=compound(features, under, word, pos), **settings)
    return {under: below, name: upper}
