"""A corpus on disk, for text that memory does not hold: parts of it, a file each.

A part is read, worked on and forgotten before the next one, or each by another process, on another
machine that sees the same folder. Files have checksums, are written whole or not at all, and are
mapped into memory where they are read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import __version__
from dovetail.corpus.column import Column
from dovetail.corpus.soft import SoftColumn
from dovetail.corpus.strings import pack_strings, unpack_strings
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError, ModelFileError
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.files import PathLike, atomic_write
from dovetail.io.fingerprint import fingerprint

KIND = "part of a corpus"
INDEX = "shards.json"
TOKENS = 500_000  # in a part


def holds_shards(path: PathLike) -> bool:
    """Whether a path is that of a corpus in parts."""
    return (Path(path) / INDEX).is_file()


class Shards:
    """A corpus as parts on disk; iterating gives each part as a `Corpus`.

    >>> import tempfile
    >>> corpus = Corpus.from_lists({"word": [["a", "cat"], ["the", "dog"]]})
    >>> shards = Shards.write(tempfile.mkdtemp() + "/text", [corpus], tokens=2)
    >>> shards
    Shards(2 parts, 2 sequences, 4 tokens: word)
    >>> shards[1].lists("word")
    [['the', 'dog']]
    """

    def __init__(self, folder: PathLike) -> None:
        """Open a folder that `write` made."""
        self.folder = Path(folder).absolute()
        try:
            index = json.loads((self.folder / INDEX).read_text("utf-8"))
            self.names = tuple(map(str, index["columns"]))
            self.tokens = tuple(int(n) for n in index["tokens"])
            self.sequences = tuple(int(n) for n in index["sequences"])
            self.id = str(index["id"])
            if (
                len(self.tokens) != len(self.sequences)
                or min(*self.tokens, *self.sequences, 0, 0) < 0
            ):
                raise ValueError
        except OSError as error:
            raise DataError(
                f"{os.fspath(folder)} holds no corpus that was written to the end: cannot read "
                f"{INDEX}: {error.strerror or error}"
            ) from None
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise DataError(f"{self.folder / INDEX} is damaged: write the corpus again") from None

    @classmethod
    def write(
        cls, folder: PathLike, corpora: Corpus | Iterable[Corpus], *, tokens: int = TOKENS
    ) -> Shards:
        """Write corpora with the same columns, one after another, in parts of so many tokens.

        Memory holds one part, and the largest of the corpora: give a stream of small ones, such as
        that of `dovetail.corpus.stream`. A folder that holds a corpus already is refused.
        """
        if tokens < 1:
            raise DataError(f"tokens is {tokens}; give a number of at least 1")
        place = Path(folder).absolute()
        if (place / INDEX).exists():
            raise DataError(f"{place} holds a corpus already: give another folder")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot write {place}: {error.strerror or error}") from None
        names: tuple[str, ...] | None = None
        parts: list[tuple[int, int]] = []
        own_id = os.urandom(8).hex()
        for part in _gather([corpora] if isinstance(corpora, Corpus) else corpora, tokens):
            if names is not None and part.names != names:
                raise DataError(
                    f"the corpora differ in their columns: {', '.join(names)} and "
                    f"{', '.join(part.names)}"
                )
            names = part.names
            arrays, facts = _to_arrays(part)
            write_arrays(place / _name(len(parts)), KIND, arrays, {**facts, "corpus": own_id})
            parts.append((part.n_tokens, len(part)))
        index = {
            "dovetail": __version__,
            "columns": names or (),
            "tokens": [part[0] for part in parts],
            "sequences": [part[1] for part in parts],
            "id": own_id,
        }
        with atomic_write(place / INDEX) as file:
            file.write(json.dumps(index, indent=1).encode())
        return cls(place)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, number: int) -> Corpus:
        if not 0 <= number < len(self):
            raise IndexError(f"part {number} of a corpus of {len(self)}")
        path = self.folder / _name(number)
        try:
            arrays, facts = read_arrays(path, KIND)
            corpus = _from_arrays(arrays, facts)
        except ModelFileError as error:
            raise DataError(f"part {number} of the corpus cannot be read: {error}") from None
        except (DataError, KeyError, ValueError, TypeError):
            raise DataError(f"{path} is damaged: its arrays do not fit") from None
        if facts.get("corpus") != self.id:
            raise DataError(f"{path} is of another corpus than {self.folder / INDEX}")
        return corpus

    def __iter__(self) -> Iterator[Corpus]:
        return (self[number] for number in range(len(self)))

    @property
    def n_tokens(self) -> int:
        return sum(self.tokens)

    @property
    def n_sequences(self) -> int:
        return sum(self.sequences)

    def work_folder(self, *parts: str | bytes) -> Path:
        """A folder in this one for what is computed from the corpus with these settings."""
        digest = fingerprint(__version__, self.id, *parts)[:16]
        place = self.folder / f"work-{digest}"
        try:
            place.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot write {place}: {error.strerror or error}") from None
        return place

    def __repr__(self) -> str:
        return (
            f"Shards({len(self)} parts, {self.n_sequences} sequences, {self.n_tokens} tokens: "
            f"{', '.join(self.names)})"
        )


def _name(number: int) -> str:
    return f"part-{number:05d}.shard"


def _gather(corpora: Iterable[Corpus], tokens: int) -> Iterator[Corpus]:
    """Corpora cut and joined to parts of at least so many tokens, but for the last."""
    waiting: list[Corpus] = []
    held = 0
    for corpus in corpora:
        first = 0
        while first < len(corpus):
            goal = corpus.bounds[first] + tokens - held
            last = min(int(np.searchsorted(corpus.bounds, goal)), len(corpus))
            piece = corpus[first:last] if (first, last) != (0, len(corpus)) else corpus
            waiting.append(piece)
            held += piece.n_tokens
            first = last
            if held >= tokens:
                yield Corpus.concatenate(waiting)
                waiting, held = [], 0
        if not len(corpus) and not waiting:
            waiting.append(corpus)
    if waiting:
        yield Corpus.concatenate(waiting)


def _to_arrays(corpus: Corpus) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {"bounds": corpus.bounds}
    for number, (name, column) in enumerate(corpus.columns.items()):
        if isinstance(column, SoftColumn):
            raise DataError(f"the column '{name}' has weights of values: it cannot be kept on disk")
        compact = column.compact()
        arrays[f"codes{number}"] = compact.codes
        arrays |= pack_strings(f"levels{number}", compact.levels)
    if corpus.document_bounds is not None:
        arrays["document_bounds"] = corpus.document_bounds
    if corpus.offsets is not None:
        arrays["offsets"] = corpus.offsets
    if corpus.texts is not None:
        arrays |= pack_strings("texts", corpus.texts)
    return arrays, {"columns": list(corpus.names)}


def _from_arrays(arrays: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]) -> Corpus:
    columns = {
        str(name): Column(arrays[f"codes{k}"], tuple(unpack_strings(arrays, f"levels{k}")))
        for k, name in enumerate(facts["columns"])
    }
    return Corpus(
        columns,
        arrays["bounds"],
        document_bounds=arrays.get("document_bounds"),
        offsets=arrays.get("offsets"),
        texts=unpack_strings(arrays, "texts") if "texts" in arrays else None,
    )
