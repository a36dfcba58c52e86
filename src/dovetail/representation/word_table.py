"""What others have found out about words: a class, a path in a tree of classes, a frequency."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.representation import Representation
from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError
from dovetail.features import column as expression_of
from dovetail.features.expressions import Expression
from dovetail.io.files import open_text
from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.annotation import Value, check_value, set_value
from dovetail.representation.file import (
    open_representation_file,
    read_origin,
    read_strings,
    read_vocabulary,
    strings_as_arrays,
    to_bytes,
    vocabulary_arrays,
)
from dovetail.representation.vocabulary import ANY, Vocabulary

PARAMETERS = ("column", "name", "prefixes", "unknown", "window", "value")  # that a file holds


class WordTable(Representation):
    """One value for each word of a long list, and prefixes of that value as coarser columns.

    A token has the value of its word, else that of the word in lower case, else ``unknown``. Brown
    clusters are the classical example: a value is a path of 0s and 1s from the root of a tree of
    classes, and its prefixes are classes of classes (Miller et al. 2004).

    Parameters
    ----------
    values
        The value of each word, the most frequent words first if that is known.
    prefixes
        Lengths of the prefixes that get a column of their own, such as ``brown4`` of the name
        ``brown``; the whole value has the column ``brown``.
    unknown
        The value of words that are not listed; by default they have none.
    window
        How many tokens around a tagger without a template of its own reads of these columns.
    value
        Value of the columns' features in a tagger; ``auto`` as for an `HMM`.

    >>> table = WordTable({"London": "0110", "Paris": "0111", "he": "10"}, name="brown",
    ...                   prefixes=(2,))
    >>> corpus = table.annotate(Corpus.from_lists({"word": [["He", "left", "Paris"]]}))
    >>> corpus.lists("brown"), corpus.lists("brown2")
    ([['10', None, '0111']], [['10', None, '01']])
    """

    kind = "table of words"
    fitted_by = None

    def __init__(
        self,
        values: Mapping[str, str],
        *,
        column: str = "word",
        name: str = "table",
        prefixes: Sequence[int] = (),
        unknown: str | None = None,
        window: int = 1,
        value: Value = "auto",
    ) -> None:
        self.values = values
        self.column = column
        self.name = name
        self.prefixes = tuple(prefixes)
        self.unknown = unknown
        self.window = window
        self.value = value
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        odd = next((n for n in self.prefixes if n < 1), None)
        if odd is not None:
            raise DataError(f"a prefix has the length {odd}; give numbers of at least 1")
        if self.window < 0:
            raise DataError(f"window is {self.window}; give a number of at least 0")
        check_value(self.value)

    @property
    def values(self) -> Mapping[str, str]:
        """The value of each word."""
        words = self.vocabulary_.names[1:]
        return {word: self.levels_[k] for word, k in zip(words, self.codes_, strict=True)}

    @values.setter
    def values(self, values: Mapping[str, str]) -> None:
        if not values:
            raise DataError("a table of words needs at least one word")
        if ANY in values:
            raise DataError(f"'{ANY}' stands for words that are not listed: leave it out")
        self.vocabulary_ = Vocabulary([ANY, *values], "one")
        levels = {level: code for code, level in enumerate(dict.fromkeys(values.values()))}
        self.levels_ = tuple(levels)
        self.codes_: npt.NDArray[np.int32] = np.array([levels[v] for v in values.values()], "i4")

    @classmethod
    def read(cls, path: str | os.PathLike[str], **settings: Any) -> WordTable:
        """From a file of Brown clusters as Liang's program writes them: the path, a tab, the word,
        a tab and the word's count on each line."""
        found: list[tuple[int, str, str]] = []
        with open_text(path) as lines:
            for number, line in enumerate(lines, start=1):
                fields = line.rstrip("\n").split("\t")
                count = fields[-1].strip()
                if len(fields) != 3 or not fields[0] or not count.isdecimal() or len(count) > 18:
                    raise DataError(
                        f"{os.fspath(path)}:{number} is {line.rstrip()!r}; a path, a word and its "
                        "count with tabs between were expected"
                    )
                found.append((-int(count), fields[1], fields[0]))
        found.sort(key=lambda one: one[0])
        settings = {"name": "brown", "prefixes": (4, 6, 10), **settings}
        return cls({word: value for _, word, value in found}, **settings)

    @property
    def names_(self) -> tuple[str, ...]:
        name = self.name
        return (*(f"{name}{n}" for n in self.prefixes), name)

    @property
    def expressions_(self) -> tuple[Expression, ...]:
        """The values around a token, and its own together with the word's shape: what is known of
        a word counts otherwise where it is written as a name."""
        shape = expression_of(self.column).short_shape
        columns = [expression_of(name) for name in self.names_]
        around = [column.window(self.window) for column in columns]
        return (*around, *(column & shape for column in columns))

    @property
    def labels_(self) -> list[str]:
        unknown = self.unknown
        more = [] if unknown is None or unknown in self.levels_ else [unknown]
        return [*self.levels_, *more]

    def typical_words(self, number: int, top: int = 10) -> list[tuple[str, float]]:
        """The first words of the list that have a value; the numbers are their places in it."""
        words = np.flatnonzero(self.codes_ == number)[:top]
        return [(self.vocabulary_.names[1 + k], float(k)) for k in words.tolist()]

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        labels = self.labels_
        unknown = self.unknown
        none = -1 if unknown is None else labels.index(unknown)
        codes = self._codes(corpus.column(self.column), none)
        made = {}
        for name, length in zip(self.names_, (*self.prefixes, None), strict=True):
            shorter = {
                level: k
                for k, level in enumerate(dict.fromkeys(label[:length] for label in labels))
            }
            table = np.array([*(shorter[label[:length]] for label in labels), -1], np.int32)
            column = Column(table[codes], tuple(shorter))
            made[name] = set_value(column, self.value)
        return made

    def _codes(self, column: Column, none: int) -> npt.NDArray[np.int32]:
        """The numbers of the values of a column's words."""
        number = self.vocabulary_.number
        values = np.concatenate([[none], self.codes_])
        used = np.unique(column.codes[column.codes >= 0])
        table = np.full(len(column.levels) + 1, none, np.int32)
        words = [column.levels[code] for code in used.tolist()]
        table[used] = values[[number(word) or number(word.lower()) for word in words]]
        found: npt.NDArray[np.int32] = table[column.codes]
        return found

    def to_bytes(self) -> bytes:
        arrays = {
            "codes": self.codes_.astype(np.uint32),
            **strings_as_arrays("level", self.levels_),
            **vocabulary_arrays(self.vocabulary_),
        }
        own = {name: getattr(self, name) for name in PARAMETERS}
        return to_bytes(self.kind, arrays, {"settings": own, "origin": dict(self.origin_)})

    @classmethod
    def load(cls, source: Source | ModelFile) -> WordTable:
        """A table from a file that `save` wrote, or from bytes."""
        with open_representation_file(source, cls.kind) as file:
            words, levels = read_vocabulary(file).names[1:], read_strings(file, "level")
            codes = file.numbers("codes", np.uint32, (len(words),), below=len(levels))
            values = {word: levels[code] for word, code in zip(words, codes.tolist(), strict=True)}
            made = cls(values, **file.facts["settings"])
            made.origin_ = read_origin(file)
        return made
