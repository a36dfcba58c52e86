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
from dovetail.corpus.strings import pack_strings, unpack_strings
from dovetail.errors import DataError, ModelFileError
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.files import atomic_write
from dovetail.io.open_parts import OpenParts
from dovetail.representation.text import Ints, Text
from dovetail.representation.vocabulary import Rare, Vocabulary

KIND = "words of a part of a corpus"
VOCABULARY = "vocabulary of a corpus"
PLAN = 6  # times the file of a part that its words take in memory, once they have been read


class Words:
    """The words of a part: ``own`` has them by numbers of the part, of which ``used`` says which
    word of the vocabulary each is."""

    def __init__(self, folder: str, number: int, *, check: bool) -> None:
        path = _path(folder, number)
        try:
            arrays = read_arrays(path, KIND, verify=check).arrays
            words, bounds, self.used = arrays["words"], arrays["bounds"], arrays["used"]
        except (ModelFileError, KeyError) as error:
            raise DataError(f"part {number} of the corpus cannot be read: {error}") from None
        if not len(bounds) or bounds[-1] != len(words) or words.max(initial=-1) >= len(self.used):
            raise DataError(f"{path} is damaged: delete it")
        self.own = Text.of(words, bounds, len(self.used))
        self.size = PLAN * path.stat().st_size


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
        words = OPEN.get(self.folder, number)
        return Text.of(words.used[words.own.words], words.own.bounds, self.n_words)

    def __iter__(self) -> Iterator[Text]:
        return (self.part(number) for number in self.parts)

    def close(self) -> None:
        """Forget what this process has read of it."""
        OPEN.close(self.folder)

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
    place = shards.work_folder("words", column, json.dumps([min_count, rare]))
    vocabulary = _read_vocabulary(place, rare)
    if vocabulary is None:
        counts: dict[str, int] = {}
        for found in executor.each("words", count_words, parts, str(shards.folder), column):
            for word, count in found.items():
                counts[word] = counts.get(word, 0) + count
        vocabulary = Vocabulary.of_counts(counts, min_count=min_count, rare=rare)
        write_arrays(
            _vocabulary_path(place), VOCABULARY, pack_strings("names", vocabulary.names), {}
        )
    given = (str(shards.folder), column, vocabulary, str(place))
    if not all(_path(str(place), number).exists() for number in parts):
        for _ in executor.each("numbers", number_words, parts, *given):
            pass
    return vocabulary, ShardText(str(place), parts, len(vocabulary), shards.n_tokens, executor)


def _vocabulary_path(folder: Path) -> Path:
    return folder / "vocabulary.shard"


def _read_vocabulary(folder: Path, rare: Rare) -> Vocabulary | None:
    """That of an earlier training, if there was one."""
    path = _vocabulary_path(folder)
    if not path.exists():
        return None
    try:
        return Vocabulary(unpack_strings(read_arrays(path, VOCABULARY).arrays, "names"), rare)
    except (ModelFileError, KeyError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}; delete it") from None


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
    used, words = np.unique(vocabulary.encode(part.column(column)), return_inverse=True)
    arrays: dict[str, Any] = {
        "words": words.astype(np.int32),
        "used": used.astype(np.uint32),
        "bounds": part.bounds.astype(np.uint64),
    }
    write_arrays(path, KIND, arrays, {})


def _path(folder: str, number: int) -> Path:
    return Path(folder) / f"words-{number:05d}.shard"


OPEN = OpenParts(_path, Words)
