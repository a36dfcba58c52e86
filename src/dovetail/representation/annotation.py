"""What all representations share: they read a column of words and write columns for templates."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.features import column as expression_of
from dovetail.features.expressions import Expression
from dovetail.files import atomic_write
from dovetail.representation.text import Text
from dovetail.representation.vocabulary import Vocabulary

Corpora = Corpus | Sequence[Corpus]
Value = float | Literal["auto"]


class Representation(ABC):
    """Writes columns that say what words are like: classes, hidden states, vectors."""

    settings: dict[str, Any]
    origin_: Mapping[str, str] = MappingProxyType({})  # of what others have made: where it is from

    @property
    def name_(self) -> str:
        """What it is called: as the column that it writes, or as its columns but for numbers."""
        return str(self.settings["name"])

    @property
    def reads_(self) -> tuple[str, ...]:
        """Columns that it reads."""
        return (self.settings["column"],)

    @property
    def names_(self) -> tuple[str, ...]:
        """Columns that it writes."""
        return (self.settings["name"],)

    @property
    def expressions_(self) -> tuple[Expression, ...]:
        """What a tagger without a template of its own reads of these columns."""
        return tuple(map(expression_of, self.names_))

    @property
    def reads_corpus_(self) -> bool:
        """Whether its columns depend on more of a corpus than the sequence they belong to."""
        return False

    @property
    def chooses_value_(self) -> bool:
        """Whether what its columns count is left to the training of a tagger that reads them."""
        return self.settings.get("value") == "auto"

    @property
    def biased_by_(self) -> tuple[str, ...]:
        """Columns of labels that its training has looked at."""
        return ()

    @property
    @abstractmethod
    def labels_(self) -> list[str]:
        """The levels of its columns."""

    @abstractmethod
    def columns(self, corpus: Corpus) -> dict[str, Column]:
        """Its columns for a corpus, by name."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """The file in memory."""

    def annotate(self, corpus: Corpus) -> Corpus:
        """The corpus with these columns added."""
        for name, column in self.columns(corpus).items():
            corpus = corpus.with_column(name, column)
        return corpus

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it into one file: whole, or not at all."""
        content = self.to_bytes()
        with atomic_write(path) as file:
            file.write(content)


def check_value(value: Any) -> None:
    """Whether the features of a column can have such a value."""
    if value != "auto" and (isinstance(value, str) or not np.isfinite(value)):
        raise DataError(f"value is {value!r}; give auto or a number above 0")


def number_of(value: Value) -> float:
    """The value that a column is written with: 1 where another is yet to be chosen."""
    return 1.0 if value == "auto" else value


def with_value(column: Column, value: Value) -> Column:
    """A column whose features have a value other than 1."""
    value = number_of(value)
    if value == 1.0:
        return column
    weights = np.zeros((len(column), len(column.levels)), np.float32)
    present = np.flatnonzero(column.codes >= 0)
    weights[present, column.codes[present]] = value
    return SoftColumn.of(column.levels, weights)


def corpora_of(data: Corpora, column: str) -> list[Corpus]:
    """Corpora to learn from, which must have the column and tokens in it."""
    corpora = [data] if isinstance(data, Corpus) else list(data)
    if not all(isinstance(corpus, Corpus) for corpus in corpora):
        raise DataError("a representation is learned from a corpus, or from a list of them")
    for corpus in corpora:
        corpus.column(column)
    if not sum(corpus.n_tokens for corpus in corpora):
        raise DataError("there are no tokens to learn a representation from")
    return corpora


def one_of(corpora: Sequence[Corpus]) -> Corpus:
    """Corpora as one."""
    return corpora[0] if len(corpora) == 1 else Corpus.concatenate(corpora)


def joined_text(corpora: Sequence[Corpus], column: str, vocabulary: Vocabulary) -> Text:
    """The words of all corpora, one after another."""
    lengths = np.concatenate([np.diff(corpus.bounds) for corpus in corpora])
    words = vocabulary.of_corpora(corpora, column)
    return Text.of(words, np.concatenate([[0], np.cumsum(lengths)]), len(vocabulary))


def check_states(number: int, what: str, n_words: int | None = None) -> None:
    """Whether there can be so many states or classes."""
    if not 1 <= number <= 65_535:
        raise DataError(f"there cannot be {number} {what}; give a number from 1 to 65,535")
    if n_words is not None and number > n_words:
        raise DataError(
            f"{number} {what} are more than the {n_words} words of the vocabulary; give fewer, or "
            "more text"
        )
