"""A corpus is a table: one row a token, named columns, sequences marked by bounds.

Columns are dictionary-encoded, so that whatever depends on a value alone is computed once per
distinct value. Nothing here is ever changed in place: every operation gives a new table, and
the arrays are marked read-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.corpus.column import Column
from dovetail.corpus.record import RecordGatherer
from dovetail.corpus.texts import Unit, text_records
from dovetail.errors import DataError

Ints = NDArray[np.int64]
Lists = SequenceOf[SequenceOf[str | None]]


class Sequence:
    """One sequence of a corpus: a view of its rows.

    >>> corpus = Corpus.from_lists({"word": [["Hello", "world"]], "pos": [["UH", "NN"]]})
    >>> corpus[0]["pos"]
    ['UH', 'NN']
    """

    __slots__ = ("_corpus", "index")

    def __init__(self, corpus: Corpus, index: int) -> None:
        self._corpus = corpus
        self.index = index

    @property
    def _rows(self) -> slice:
        return slice(*self._corpus.bounds[self.index : self.index + 2].tolist())

    def __len__(self) -> int:
        rows = self._rows
        return int(rows.stop - rows.start)

    def __getitem__(self, name: str) -> list[str | None]:
        return self._corpus.column(name)[self._rows].values()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return self._corpus.names

    def to_corpus(self) -> Corpus:
        """This sequence as a corpus of its own."""
        return self._corpus.select([self.index])

    @property
    def text(self) -> str | None:
        """The raw text, where the corpus keeps it."""
        return None if self._corpus.texts is None else self._corpus.texts[self.index]

    @property
    def offsets(self) -> Ints | None:
        """Start and end of each token in ``text``, in characters; shape [tokens, 2]."""
        return None if self._corpus.offsets is None else self._corpus.offsets[self._rows]

    def __repr__(self) -> str:
        return f"Sequence({len(self)} tokens: {', '.join(self.names)})"


class Corpus:
    """Sequences of tokens with named columns.

    ``bounds`` [sequences + 1] says where each sequence starts and ends among the tokens,
    ``document_bounds`` [documents + 1] the same for documents among the sequences. ``texts``
    holds the raw text of each sequence and ``offsets`` [tokens, 2] where in it each token lies.

    >>> corpus = Corpus.from_lists({"word": [["EU", "rejects"], ["Yes"]]})
    >>> len(corpus), corpus.n_tokens
    (2, 3)
    >>> corpus.with_column("ner", [["B-ORG", "O"], ["O"]]).lists("ner")
    [['B-ORG', 'O'], ['O']]
    """

    __slots__ = ("_columns", "bounds", "document_bounds", "offsets", "texts")

    def __init__(
        self,
        columns: Mapping[str, Column],
        bounds: ArrayLike,
        *,
        document_bounds: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        texts: Iterable[str] | None = None,
    ) -> None:
        self._columns = dict(columns)
        self.bounds = _checked_bounds(bounds, "bounds")
        self.document_bounds = (
            None if document_bounds is None else _checked_bounds(document_bounds, "document_bounds")
        )
        self.texts = None if texts is None else tuple(texts)
        self.offsets = None if offsets is None else _frozen(offsets)
        for name, column in self._columns.items():
            if len(column) != self.n_tokens:
                raise DataError(
                    f"column {name!r} has {len(column)} values for {self.n_tokens} tokens"
                )
        if self.document_bounds is not None and self.document_bounds[-1] != len(self):
            raise DataError(
                f"document_bounds end at {self.document_bounds[-1]} but there are "
                f"{len(self)} sequences"
            )
        if self.texts is not None and len(self.texts) != len(self):
            raise DataError(f"there are {len(self.texts)} texts for {len(self)} sequences")
        if self.offsets is not None and self.offsets.shape != (self.n_tokens, 2):
            raise DataError(
                f"offsets have shape {self.offsets.shape} where ({self.n_tokens}, 2) was expected"
            )

    @classmethod
    def from_lists(cls, columns: Mapping[str, Lists]) -> Corpus:
        """Make a corpus from a list of lists of strings for each column; ``None`` is missing."""
        bounds: Ints | None = None
        first = ""
        encoded: dict[str, Column] = {}
        for name, lists in columns.items():
            if bounds is None:
                first, bounds = name, _bounds_of(lists)
            encoded[name] = _encode(name, lists, bounds, f"column {first!r}")
        return cls(encoded, [0] if bounds is None else bounds)

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, unit: Unit = "document") -> Corpus:
        """Tokenize texts; each is one sequence, or is cut into its lines or paragraphs.

        The texts are kept, and so are the places of the tokens in them. Texts that are cut are the
        documents of the corpus.

        >>> Corpus.from_texts(["Hello, world."]).lists("word")
        [['Hello', ',', 'world', '.']]
        """
        gatherer = RecordGatherer(["word"])
        for record in text_records(texts, unit):
            gatherer.add(record)
        return cls(**gatherer.parts())

    @classmethod
    def concatenate(cls, corpora: Iterable[Corpus]) -> Corpus:
        """Join corpora with the same columns, one after another.

        Documents are kept if any part has them (a part without is one document); texts and
        offsets are kept if every part has them.
        """
        parts = list(corpora)
        if not parts:
            return cls({}, [0])
        names = parts[0].names
        for number, part in enumerate(parts[1:], 2):
            if set(part.names) != set(names):
                raise DataError(
                    f"corpus {number} has the columns {', '.join(part.names)} where the first has "
                    f"{', '.join(names)}; add or drop columns first"
                )
        documents = None
        if any(part.document_bounds is not None for part in parts):
            documents = _joined_bounds(part._documents() for part in parts)
        texts = [part.texts for part in parts if part.texts is not None]
        offsets = [part.offsets for part in parts if part.offsets is not None]
        return cls(
            {name: _joined([part.column(name) for part in parts]) for name in names},
            _joined_bounds(part.bounds for part in parts),
            document_bounds=documents,
            texts=chain.from_iterable(texts) if len(texts) == len(parts) else None,
            offsets=np.concatenate(offsets) if len(offsets) == len(parts) else None,
        )

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all sequences."""
        return int(self.bounds[-1])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return tuple(self._columns)

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns by name, in their order; read-only."""
        return MappingProxyType(self._columns)

    def column(self, name: str) -> Column:
        """The column of that name, or a `DataError` that lists the names there are."""
        try:
            return self._columns[name]
        except KeyError:
            known = ", ".join(self._columns) or "none"
            raise DataError(f"there is no column {name!r}; the columns are: {known}") from None

    def lists(self, name: str) -> list[list[str | None]]:
        """One column as a list of values for each sequence."""
        values = self.column(name).values()
        bounds = self.bounds.tolist()
        return [values[a:b] for a, b in pairwise(bounds)]

    @overload
    def __getitem__(self, index: int) -> Sequence: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Sequence | Corpus:
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"sequence {index} of a corpus of {len(self)}")
        return Sequence(self, index % len(self))

    def __iter__(self) -> Iterator[Sequence]:
        return (Sequence(self, index) for index in range(len(self)))

    def select(self, indices: SequenceOf[int] | Ints) -> Corpus:
        """The sequences with these numbers, in this order; they may repeat.

        Neighbours from one document stay in one document.
        """
        chosen = np.asarray(indices, dtype=np.int64)
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self)):
            raise IndexError(f"sequence numbers must lie between 0 and {len(self) - 1}")
        lengths = np.diff(self.bounds)[chosen]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(bounds[-1]) + np.repeat(self.bounds[chosen] - bounds[:-1], lengths)
        documents = None
        if self.document_bounds is not None:
            numbers = np.searchsorted(self.document_bounds, chosen, side="right")
            starts = np.flatnonzero(np.diff(numbers, prepend=-1))
            documents = np.append(starts, len(chosen)) if len(chosen) else [0]
        return Corpus(
            {name: column[rows] for name, column in self._columns.items()},
            bounds,
            document_bounds=documents,
            texts=None if self.texts is None else [self.texts[i] for i in chosen.tolist()],
            offsets=None if self.offsets is None else self.offsets[rows],
        )

    def split(self, fraction: float, seed: int) -> tuple[Corpus, Corpus]:
        """Divide at random: about ``fraction`` of the corpus, and the rest.

        Whole documents are kept together where there are at least two; order is kept. Neither
        part is empty if that can be.

        >>> corpus = Corpus.from_lists({"word": [[str(i)] for i in range(10)]})
        >>> train, test = corpus.split(0.8, seed=1)
        >>> len(train), len(test)
        (8, 2)
        """
        if not 0 < fraction < 1:
            raise DataError(f"a corpus cannot be split at {fraction}: give a number within 0 and 1")
        units = np.arange(len(self) + 1)
        if self.document_bounds is not None and len(self.document_bounds) > 2:
            units = self.document_bounds
        n = len(units) - 1
        size = min(max(round(fraction * n), 1), n - 1) if n > 1 else n
        inside = np.zeros(n, dtype=bool)
        inside[np.random.default_rng(seed).permutation(n)[:size]] = True
        inside = np.repeat(inside, np.diff(units))
        return self.select(np.flatnonzero(inside)), self.select(np.flatnonzero(~inside))

    def with_column(self, name: str, values: Column | Lists) -> Corpus:
        """A corpus with this column added, or replaced where there was one of that name."""
        if not isinstance(values, Column):
            values = _encode(name, values, self.bounds, "the corpus")
        return self._with({**self._columns, name: values})

    def without_column(self, name: str) -> Corpus:
        """A corpus without this column."""
        self.column(name)
        return self._with({key: column for key, column in self._columns.items() if key != name})

    def _with(self, columns: Mapping[str, Column]) -> Corpus:
        return Corpus(
            columns,
            self.bounds,
            document_bounds=self.document_bounds,
            offsets=self.offsets,
            texts=self.texts,
        )

    def _documents(self) -> Ints:
        if self.document_bounds is not None:
            return self.document_bounds
        return np.array([0, len(self)] if len(self) else [0], dtype=np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return (
            list(self._columns.items()) == list(other._columns.items())
            and np.array_equal(self.bounds, other.bounds)
            and _same(self.document_bounds, other.document_bounds)
            and _same(self.offsets, other.offsets)
            and self.texts == other.texts
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        columns = ", ".join(self._columns)
        return f"Corpus({len(self)} sequences, {self.n_tokens} tokens: {columns})"


def _joined(columns: list[Column]) -> Column:
    return type(columns[0]).concatenate(columns)


def _frozen(values: Any) -> Ints:
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


def _checked_bounds(values: ArrayLike, what: str) -> Ints:
    bounds = _frozen(values)
    if bounds.ndim != 1 or not bounds.size or bounds[0] != 0 or (bounds[1:] < bounds[:-1]).any():
        raise DataError(f"{what} must start at 0 and never fall")
    return bounds


def _bounds_of(lists: Lists) -> Ints:
    try:
        lengths = [len(values) for values in lists]
    except TypeError:
        raise DataError("a column is a list of sequences, each a list of strings") from None
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def _joined_bounds(parts: Iterable[Ints]) -> Ints:
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate([[0], np.cumsum(lengths)])


def _encode(name: str, lists: Lists, bounds: Ints, reference: str) -> Column:
    if len(lists) != len(bounds) - 1:
        raise DataError(
            f"column {name!r} has {len(lists)} sequences where {reference} has {len(bounds) - 1}"
        )
    given, expected = np.diff(_bounds_of(lists)), np.diff(bounds)
    if not np.array_equal(given, expected):
        wrong = int(np.flatnonzero(given != expected)[0])
        raise DataError(
            f"sequence {wrong + 1}: column {name!r} has {given[wrong]} values where {reference} "
            f"has {expected[wrong]}"
        )
    return Column.from_values(chain.from_iterable(lists))


def _same(a: Ints | None, b: Ints | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)
