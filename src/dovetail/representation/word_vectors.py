"""Word vectors as columns: a feature for each dimension, or clusters of words."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.representation import Representation
from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.errors import DataError
from dovetail.io.files import open_text
from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.annotation import (
    Value,
    check_states,
    check_value,
    resolve_value,
    set_value,
)
from dovetail.representation.clusters import cluster_vectors
from dovetail.representation.file import (
    open_representation_file,
    read_origin,
    read_vocabulary,
    to_bytes,
    vocabulary_arrays,
)
from dovetail.representation.text import Singles
from dovetail.representation.vocabulary import ANY, Vocabulary

PARAMETERS = ("column", "name", "clusters", "value", "seed")  # that a file holds
BLANKS = re.compile("[ \t]+")


class WordVectors(Representation):
    """Vectors that were learned elsewhere.

    A token has the vector of its word, else that of the word in lower case, else none.

    Parameters
    ----------
    words, vectors
        The words, and a row for each of them.
    column, name
        The column that is read, and the one that is written.
    clusters
        Write the number of the nearest of so many clusters (k-means) instead of the vector itself.
    value
        The standard deviation of all components is made this, or, of clusters, the value of their
        features; ``auto`` as for an `HMM`.

    Examples
    --------
    >>> vectors = WordVectors(["cat", "dog"], [[1.0, 0.0], [0.5, 0.5]], value=1.0)
    >>> column = vectors.columns(Corpus.from_lists({"word": [["Dog", "unicorn"]]}))["vector"]
    >>> column.weights.round(1)
    array([[1.4, 1.4],
           [0. , 0. ]], dtype=float32)
    """

    kind = "set of word vectors"
    fitted_by = None

    vectors: npt.ArrayLike

    def __init__(
        self,
        words: Sequence[str],
        vectors: npt.ArrayLike,
        *,
        column: str = "word",
        name: str = "vector",
        clusters: int | None = None,
        value: Value = "auto",
        seed: int = 0,
    ) -> None:
        self.words = tuple(words)
        self.vectors = vectors
        self.column = column
        self.name = name
        self.clusters = clusters
        self.value = value
        self.seed = seed
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        given = np.asarray(self.vectors, np.float32)
        _check(self.words, given)
        check_value(self.value)
        if self.clusters is not None:
            check_states(self.clusters, "clusters", len(self.words))
        none = np.zeros((1, given.shape[1]), np.float32)
        self.vectors_: Singles = np.concatenate([none, given])
        self.vectors = self.vectors_[1:]
        self.vocabulary_ = Vocabulary([ANY, *self.words], "one")
        if self.clusters is not None:
            self.clusters_ = cluster_vectors(self.vectors_[1:], self.clusters, self.seed)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        only: Collection[str] | None = None,
        **settings: Any,
    ) -> WordVectors:
        """From a text file with a word and its numbers on each line, as word2vec and GloVe write
        them; words may have blanks. A first line with two counts, of words and of numbers, is no
        word. ``only`` names the words to keep, with their forms in lower case."""
        kept = None if only is None else {form for word in only for form in (word, word.lower())}
        vectors: dict[str, npt.NDArray[np.float32]] = {}
        size: int | None = None
        with open_text(path) as lines:
            for number, line in enumerate(lines, start=1):
                fields = BLANKS.split(line.rstrip())
                if number == 1 and len(fields) == 2:
                    size = int(fields[1]) if fields[1].isdecimal() and len(fields[1]) < 10 else None
                    continue
                size = len(fields) - 1 if size is None else size
                if len(fields) <= size or not size:
                    raise DataError(
                        f"{os.fspath(path)}:{number} has {len(fields) - 1} numbers where {size} "
                        "were expected"
                    )
                word = " ".join(fields[:-size])
                if word not in vectors and (kept is None or word in kept):
                    vectors[word] = _row(fields[-size:], f"{os.fspath(path)}:{number}")
        if not vectors:
            raise DataError(f"{os.fspath(path)} has no vectors of the words asked for")
        return cls(list(vectors), np.stack(list(vectors.values())), **settings)

    @property
    def labels_(self) -> list[str]:
        n = self.clusters
        if n is not None:
            return [f"v{k}" for k in range(n)]
        return [f"d{k}" for k in range(self.vectors_.shape[1])]

    def typical_words(self, number: int, top: int = 10) -> list[tuple[str, float]]:
        """Words of a cluster, the nearest to its middle first, with their distances from it."""
        words = np.flatnonzero(self.clusters_ == number)
        rows = self.vectors_[1:][words]
        far = np.linalg.norm(rows - rows.mean(axis=0), axis=1) if len(words) else np.zeros(0)
        best = np.argsort(far, kind="stable")[:top]
        return [(self.vocabulary_.names[1 + words[k]], float(far[k])) for k in best]

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        rows = self._rows(corpus.column(self.column))
        value, name = self.value, self.name
        if self.clusters is None:
            spread = float(self.vectors_[1:].std()) or 1.0
            return {
                name: SoftColumn.of(
                    self.labels_, resolve_value(value) / spread * self.vectors_[rows]
                )
            }
        codes = np.where(rows > 0, self.clusters_[rows - 1], -1)
        return {name: set_value(Column(codes, tuple(self.labels_)), value)}

    def _rows(self, column: Column) -> npt.NDArray[np.int32]:
        """The numbers of a column's words, 0 where there is no vector."""
        number = self.vocabulary_.number
        table = [number(level) or number(level.lower()) for level in column.levels]
        found: npt.NDArray[np.int32] = np.array([*table, 0], np.int32)[column.codes]
        return found

    def to_bytes(self) -> bytes:
        arrays = {"vectors": self.vectors_[1:], **vocabulary_arrays(self.vocabulary_)}
        if self.clusters is not None:
            arrays["clusters"] = self.clusters_.astype(np.uint32)
        own = {name: getattr(self, name) for name in PARAMETERS}
        facts: dict[str, Any] = {"settings": own, "dimensions": self.vectors_.shape[1]}
        if self.origin_:
            facts["origin"] = dict(self.origin_)
        return to_bytes(self.kind, arrays, facts)

    @classmethod
    def load(cls, source: Source | ModelFile) -> WordVectors:
        """Vectors from a file that `save` wrote, or from bytes."""
        with open_representation_file(source, cls.kind) as file:
            words = read_vocabulary(file).names[1:]
            shape = (len(words), int(file.facts["dimensions"]))
            settings = {**file.facts["settings"]}
            n = settings.pop("clusters")
            made = cls(words, file.numbers("vectors", np.float32, shape), **settings)
            if n is not None:
                made.clusters = n
                found = file.numbers("clusters", np.uint32, (len(words),), below=n)
                made.clusters_ = found.astype(np.int32)
            made.origin_ = read_origin(file)
            return made


def _check(words: Sequence[str], vectors: Singles) -> None:
    if vectors.ndim != 2 or len(vectors) != len(words) or not vectors.size:
        raise DataError(
            f"{len(words)} words need vectors of the shape ({len(words)}, dimensions), not "
            f"{vectors.shape}"
        )
    if ANY in words:
        raise DataError(f"'{ANY}' stands for words without a vector: leave it out")
    if len(set(words)) != len(words):
        raise DataError("the words of word vectors must differ from one another")
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise DataError(f"the vector of '{words[row]}' has a number that is not finite")


def _row(fields: Sequence[str], place: str) -> npt.NDArray[np.float32]:
    try:
        return np.array(fields, np.float32)
    except ValueError:
        raise DataError(f"{place} has a word's vector with something that is no number") from None
