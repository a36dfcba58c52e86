"""Our own feature sets: what a tagger sees when nothing else is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dovetail.errors import DataError
from dovetail.features.columns import column
from dovetail.features.expressions import Expression
from dovetail.features.lexicons import Lexicon
from dovetail.features.sets.capitals import letter_case
from dovetail.features.template import Template


def default(columns: Sequence[str], *, spans: bool = False) -> Template:
    """Features for whatever is to be learnt, by the columns that there are beside the label, and by
    whether the labels are those of ``spans``.

    The first column has words: alone, it is read as for `entities` or `parts_of_speech`; with one
    column of tags beside it, as for `phrases`; with several, as for `entities`.

    >>> default(["word", "pos"]) == phrases("word", "pos")
    True
    """
    if not columns:
        raise DataError("there is no column to make features of beside the label")
    word, *tags = columns
    if len(tags) == 1:
        return phrases(word, tags[0])
    return entities(word, *tags) if tags or spans else parts_of_speech(word)


def parts_of_speech(word: str = "word") -> Template:
    """Words, their ends and shapes, and their neighbours."""
    return Template(*_words(word))


def phrases(word: str = "word", pos: str = "pos") -> Template:
    """The same, and parts of speech in ones, twos and threes."""
    tag = column(pos)
    return Template(*_words(word), tag.window(2), tag.ngrams(2, -2, 2), tag.ngrams(3, -2, 2))


def entities(word: str = "word", *tags: str) -> Template:
    """Names: more of a word's letters and of the shapes around it, which words stand near on either
    side, and the first further column in ones and twos; of other columns the token's own value.
    """
    token = column(word)
    lower, shape = token.lower, token.short_shape
    return Template(
        *_words(word),
        letter_case(token).window(1),
        token.affixes(5),
        token.digits,
        lower.chars(3),
        lower.chars(4),
        shape[-3] | shape[3],
        shape.ngrams(4, -2, 2),
        lower.window(-4, -1).named("left"),
        lower.window(1, 4).named("right"),
        *(tag.window(2) | tag.ngrams(2, -1, 1) for tag in map(column, tags[:1])),
        *map(column, tags[1:]),
    )


def fields(
    word: str = "word", *tags: str, lexicons: Mapping[str, Lexicon] | None = None
) -> Template:
    """Fields of mail, records and forms: `entities`, a wider window, times, dates, and layout where
    the corpus keeps its text.

    Lexicons, such as first names, honorifics and words for rooms, are compared as they are written,
    three tokens around.
    """
    token = column(word)
    line = column("@line") | column("@blank") | column("@gap") | column("@indent")
    lead, elsewhere = column("@lead"), column("@elsewhere")
    return Template(
        *entities(word, *tags).expressions,
        token.lower.window(-4, -3) | token.lower.window(3, 4),
        (token.time | token.date).window(3),
        token.time & token.lower[-1],
        line.window(1),
        column("@header"),
        lead,
        lead & (token.short_shape | token.time | token.date),
        elsewhere.window(1),
        elsewhere & (token.short_shape | column("@header")),
        *(token.lexicon(name).window(3) for name in lexicons or {}),
        lexicons=lexicons,
    )


def _words(name: str) -> list[Expression]:
    word = column(name)
    lower, shape = word.lower, word.short_shape
    return [
        lower.window(2),
        lower.ngrams(2, -1, 1),
        word,
        word.shape,
        lower.affixes(5),
        shape.window(2),
        shape.ngrams(2, -1, 1),
        shape.ngrams(3, -1, 1),
        (lower[-1] | lower[1]) & shape,
        lower & (shape[-1] | shape[1]),
    ]
