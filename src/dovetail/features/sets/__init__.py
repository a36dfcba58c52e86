"""Feature sets that are ready to use: those of papers, and our own defaults.

>>> print(named("parts_of_speech", ["form"]))  # doctest: +ELLIPSIS
form.lower[-2..2]
...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.errors import DataError
from dovetail.features.lexicons import Lexicon
from dovetail.features.sets.announcements import announcements
from dovetail.features.sets.chinese import chinese
from dovetail.features.sets.chunking import chunking
from dovetail.features.sets.defaults import default, entities, fields, parts_of_speech, phrases
from dovetail.features.sets.newswire import newswire
from dovetail.features.sets.zhang_johnson import zhang_johnson
from dovetail.features.template import Template

if TYPE_CHECKING:
    from dovetail.corpus import Corpus

__all__ = [
    "NAMES",
    "announcements",
    "chinese",
    "choose_feature_set",
    "chunking",
    "default",
    "entities",
    "fields",
    "named",
    "newswire",
    "parts_of_speech",
    "phrases",
    "zhang_johnson",
]

OF_WORDS: dict[str, Callable[[str], Template]] = {
    "chinese": chinese,
    "parts_of_speech": parts_of_speech,
    "zhang_johnson": zhang_johnson,
}
OF_WORDS_AND_TAGS: dict[str, Callable[[str, str], Template]] = {
    "chunking": chunking,
    "phrases": phrases,
}
OF_ALL: dict[str, Callable[[Sequence[str]], Template]] = {
    "default": default,
    "entities": lambda columns: entities(*columns),
}
WITH_LEXICONS: dict[str, Callable[[Sequence[str], Mapping[str, Lexicon]], Template]] = {
    "announcements": lambda columns, lexicons: announcements(
        columns[0], columns[1] if len(columns) > 1 else None, lexicons
    ),
    "fields": lambda columns, lexicons: fields(*columns, lexicons=lexicons),
    "newswire": lambda columns, lexicons: newswire(columns[0], lexicons),
}
NAMES = tuple(sorted({*OF_WORDS, *OF_WORDS_AND_TAGS, *OF_ALL, *WITH_LEXICONS}))


def choose_feature_set(corpus: Corpus, label: str | None) -> Template:
    """The default for a corpus of which the column ``label`` is to be learnt, or none is known."""
    from dovetail.corpus import detect_scheme

    spans = label is not None and detect_scheme(corpus.lists(label)) != "none"
    return default([name for name in corpus.names if name != label], spans=spans)


def named(
    name: str, columns: Sequence[str], lexicons: Mapping[str, Lexicon] | None = None
) -> Template:
    """The feature set of that name, over columns of which the first has the words and the second,
    where there is one, their parts of speech.
    """
    if name not in NAMES:
        raise DataError(f"there is no feature set '{name}'; there are {', '.join(NAMES)}")
    if not columns:
        raise DataError("there is no column to make features of beside the label")
    if name in WITH_LEXICONS:
        return WITH_LEXICONS[name](columns, lexicons or {})
    if lexicons:
        raise DataError(f"the feature set '{name}' uses no lexicons; {', '.join(WITH_LEXICONS)} do")
    if name in OF_ALL:
        return OF_ALL[name](columns)
    if name in OF_WORDS:
        return OF_WORDS[name](columns[0])
    if len(columns) < 2:
        raise DataError(
            f"the feature set '{name}' reads words and their parts of speech, but beside the "
            f"label the data has only the column '{columns[0]}'"
        )
    return OF_WORDS_AND_TAGS[name](columns[0], columns[1])
