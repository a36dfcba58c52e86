"""The words of a corpus on disk: counted, numbered and kept beside it, part by part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.executor import Executor
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError, ModelFileError
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.files import atomic_write
from dovetail.representation.text import Ints, Text
from dovetail.representation.vocabulary import Rare, Vocabulary

KIND = "words of a part of a corpus"


@dataclass(frozen=True)
class ShardText:
    """Text as `Text` has it, in files; ``parts`` are read one at a time."""

    folder: str
    parts: range
    n_words: int
    tokens: int
    executor: Executor

    @property
    def n_tokens(self) -> int:
        return self.tokens

    def part(self, number: int) -> Text:
        return read_words(self.folder, number, self.n_words)

    def __iter__(self) -> Iterator[Text]:
        return (self.part(number) for number in self.parts)

    @cached_property
    def bounds(self) -> npt.NDArray[np.uint64]:
        lengths = [np.diff(part.bounds.astype(np.int64)) for part in self]
        return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.uint64)

    @cached_property
    def words(self) -> Ints:
        """All words, in one file that is mapped: four bytes a token."""
        path = Path(self.folder) / "words.raw"
        if not path.exists() or path.stat().st_size != 4 * self.tokens:
            with atomic_write(path) as file:
                for part in self:
                    file.write(part.words.tobytes())
        return np.memmap(path, np.int32, "r") if self.tokens else np.zeros(0, np.int32)


def open_text(
    shards: Shards, column: str, executor: Executor, *, min_count: int, rare: Rare
) -> tuple[Vocabulary, ShardText]:
    """The vocabulary of a column, and its words by number."""
    if column not in shards.names:
        raise DataError(
            f"there is no column {column!r}; the columns are: {', '.join(shards.names)}"
        )
    if not shards.n_tokens:
        raise DataError("there are no tokens to learn a representation from")
    parts = range(len(shards))
    counts: dict[str, int] = {}
    for found in executor.each("words", count_words, parts, str(shards.folder), column):
        for word, count in found.items():
            counts[word] = counts.get(word, 0) + count
    vocabulary = Vocabulary.of_counts(counts, min_count=min_count, rare=rare)
    folder = str(shards.work_folder("words", column, json.dumps([vocabulary.names, rare])))
    given = (str(shards.folder), column, vocabulary, folder)
    for _ in executor.each("numbers", number_words, parts, *given):
        pass
    return vocabulary, ShardText(folder, parts, len(vocabulary), shards.n_tokens, executor)


def count_words(number: int, corpus: str, column: str) -> dict[str, int]:
    """How often a part has each word."""
    found = Shards(corpus)[number].column(column)
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.levels))
    return {word: n for word, n in zip(found.levels, counts.tolist(), strict=True) if n}


def number_words(
    number: int, corpus: str, column: str, vocabulary: Vocabulary, folder: str
) -> None:
    """Write the numbers of a part's words, unless that has been done."""
    path = _path(folder, number)
    if path.exists():
        return
    part = Shards(corpus)[number]
    arrays: dict[str, Any] = {
        "words": vocabulary.encode(part.column(column)),
        "bounds": part.bounds.astype(np.uint64),
    }
    write_arrays(path, KIND, arrays, {})


def read_words(folder: str, number: int, n_words: int) -> Text:
    """The words of a part."""
    path = _path(folder, number)
    try:
        arrays = read_arrays(path, KIND).arrays
        words, bounds = arrays["words"], arrays["bounds"]
    except (ModelFileError, KeyError) as error:
        raise DataError(f"part {number} of the corpus cannot be read: {error}") from None
    if not len(bounds) or bounds[-1] != len(words) or (words.size and words.max() >= n_words):
        raise DataError(f"{path} is damaged: delete it")
    return Text.of(words, bounds, n_words)


def _path(folder: str, number: int) -> Path:
    return Path(folder) / f"words-{number:05d}.shard"
