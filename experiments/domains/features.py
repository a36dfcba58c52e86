"""Features of words for parts of speech, of Chinese and of English."""

from __future__ import annotations

from pathlib import Path

from dovetail import Template, column
from dovetail.features import Table
from dovetail.features.sets import chinese
from experiments.readers.genres import WORD


def chinese_features(radicals: Path) -> Template:
    """Those of Huang and Yates (2012): the word, radicals, repeated characters."""
    return chinese(WORD, Table.from_file(radicals / "char_radical.tsv"))


def chinese_features_with_context(radicals: Path) -> Template:
    """A sensible tagger's: also words around, characters at both ends, the length."""
    own = chinese_features(radicals)
    word = column(WORD)
    more = (word[-1], word[1], word.affixes(2), word.length)
    return Template(*own.expressions, *more, tables=own.tables)


def english_features() -> Template:
    """The word, its ending and its capitals: as simple as those of the Chinese words."""
    word = column(WORD)
    return Template(word, word.suffix(2), word.suffix(3), word.short_shape)
