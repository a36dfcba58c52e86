"""Parts of speech of Chinese words, after Huang and Yates (2012), Table 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dovetail.features.columns import column
from dovetail.features.expressions import Expression
from dovetail.features.tables import Table
from dovetail.features.template import Template

REPETITIONS = {
    "AABB": r"(.)\1(?!\1)(.)\2",
    "ABAB": r"(.)(?!\1)(.)\1\2",
    "AA": r"(.)\1/?",
}


def chinese(
    word: str = "word", radicals: Mapping[str, str | Iterable[str]] | Table | None = None
) -> Template:
    """The word, the radicals of its characters, and whether characters repeat in it: AABB
    (高高兴兴), ABAB (研究研究), AA (看看, also with a slash at its end).

    ``radicals`` has the radical of each character; Unicode's Unihan database has such a table. The
    characters that repeat are not part of the features: the word says what they are.
    """
    token = column(word)
    features: list[Expression] = [token]
    features += [token.match(pattern).named(name) for name, pattern in REPETITIONS.items()]
    if radicals is None:
        return Template(*features)
    table = radicals if isinstance(radicals, Table) else Table(radicals)
    return Template(*features, token.chars(1).table("radicals"), tables={"radicals": table})
