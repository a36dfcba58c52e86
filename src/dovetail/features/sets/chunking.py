"""Chunks of Chinese by their function, after He and others (2009), Table 1."""

from __future__ import annotations

from dovetail.features.columns import column
from dovetail.features.template import Template

VERB = "[Vv].*"  # in the tag sets of the Penn and Chinese Treebanks, of Universal Dependencies, ...


def chunking(word: str = "word", pos: str = "pos", verb: str = VERB) -> Template:
    """Words and tags alone, in twos, threes and with a gap, some of them together; and whether a
    token stands before or after the verb, by which subjects differ from objects.

    ``verb`` is a regular expression for the tags of verbs, of which the sequence's first counts.
    """
    w, p = column(word), column(pos)
    return Template(
        w.window(2),
        w.ngrams(2, -2, 2),
        w.ngrams(3, -2, 2),
        w[-1] & w[1],
        p.window(2),
        p.ngrams(2, -2, 2),
        p.ngrams(3, -2, 2),
        p[-1] & p[1],
        (w & p).window(1),
        w & p.ngrams(2, -2, -1),
        w & p.ngrams(2, 1, 2),
        p[-1] & w & p[1],
        p.side(verb),
    )
