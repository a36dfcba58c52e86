"""Text that representations are learned from, and values that their columns have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from dovetail.corpus import Column, Corpus, Shards, SoftColumn
from dovetail.data import iterate
from dovetail.errors import DataError
from dovetail.representation.text import Text
from dovetail.representation.vocabulary import Vocabulary

Corpora = Corpus | Sequence[Corpus]
Value = float | Literal["auto"]


def check_value(value: Any) -> None:
    """Whether the features of a column can have such a value."""
    if value != "auto" and (isinstance(value, str) or not np.isfinite(value)):
        raise DataError(f"value is {value!r}; give auto or a number above 0")


def resolve_value(value: Value) -> float:
    """The value that a column is written with: 1 where another is yet to be chosen."""
    return 1.0 if value == "auto" else value


def set_value(column: Column, value: Value) -> Column:
    """A column whose features have a value other than 1."""
    value = resolve_value(value)
    if value == 1.0:
        return column
    weights = np.zeros((len(column), len(column.levels)), np.float32)
    present = np.flatnonzero(column.codes >= 0)
    weights[present, column.codes[present]] = value
    return SoftColumn.of(column.levels, weights)


def check_corpora(data: Corpora, column: str) -> list[Corpus]:
    """Corpora to learn from, which must have the column and tokens in it."""
    wanted = "a representation is learned from a corpus, or from a list of them"
    corpora = [data] if isinstance(data, Corpus) else list(iterate(data, wanted))
    if not all(isinstance(corpus, Corpus) for corpus in corpora):
        raise DataError(wanted)
    for corpus in corpora:
        corpus.column(column)
    if not sum(corpus.n_tokens for corpus in corpora):
        raise DataError("there are no tokens to learn a representation from")
    return corpora


def in_memory(data: Corpora | Shards) -> Corpora:
    """Refuse a corpus on disk."""
    if isinstance(data, Shards):
        raise DataError("biases need text that memory holds: give a corpus, not one on disk")
    return data


def concatenate_corpora(corpora: Sequence[Corpus]) -> Corpus:
    """Corpora as one."""
    return corpora[0] if len(corpora) == 1 else Corpus.concatenate(corpora)


def join_text(corpora: Sequence[Corpus], column: str, vocabulary: Vocabulary) -> Text:
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
