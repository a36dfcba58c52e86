"""Between file formats and tables: a reader yields records, and here they become a corpus.

Every format is one generator of `Record`; reading whole and streaming in chunks follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.corpus.column import ColumnEncoder
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError

CHUNK_SIZE = 1000


@dataclass(frozen=True, slots=True)
class Record:
    """One sequence as read: equally long columns, and whether it opens a new document."""

    columns: Mapping[str, Sequence[str | None]]
    length: int
    opens_document: bool = False
    text: str | None = None
    offsets: Sequence[tuple[int, int]] | None = None


def to_corpus(records: Iterable[Record], names: Iterable[str] = ()) -> Corpus:
    """Gather all records into one corpus; ``names`` are columns it has even without records."""
    builder = _Builder(names)
    for record in records:
        builder.add(record)
    return builder.corpus()


def to_chunks(
    records: Iterable[Record], chunk_size: int, names: Iterable[str] = ()
) -> Iterator[Corpus]:
    """Gather records into one corpus after another of ``chunk_size`` sequences (the last: fewer).

    A document that runs over the end of a chunk goes on in one of its own, without document
    bounds: so wherever there are such bounds, a document truly begins.
    """
    if chunk_size < 1:
        raise DataError(f"a chunk must hold at least one sequence, not {chunk_size}")
    names = tuple(names)
    builder = _Builder(names)
    goes_on = started = False
    for record in records:
        if goes_on and record.opens_document and builder.n_sequences:
            yield builder.corpus()
            builder = _Builder(names)
        if not builder.n_sequences:
            goes_on, started = started and not record.opens_document, True
        builder.add(record)
        if builder.n_sequences == chunk_size:
            yield builder.corpus()
            builder = _Builder(names)
    if builder.n_sequences:
        yield builder.corpus()


class _Builder:
    def __init__(self, names: Iterable[str]) -> None:
        self.has_documents = False
        self._columns = {name: ColumnEncoder() for name in names}
        self._bounds = [0]
        self._document_starts: list[int] = []
        self._texts: list[str] = []
        self._has_texts = False
        self._offsets: list[tuple[int, int]] = []

    @property
    def n_sequences(self) -> int:
        return len(self._bounds) - 1

    def add(self, record: Record) -> None:
        for name in record.columns:
            if name not in self._columns:
                self._columns[name] = ColumnEncoder()
                self._columns[name].extend([None] * self._bounds[-1])
        for name, encoder in self._columns.items():
            encoder.extend(record.columns.get(name) or [None] * record.length)
        if record.opens_document or not self.n_sequences:
            self.has_documents |= record.opens_document
            self._document_starts.append(self.n_sequences)
        if record.text is not None:
            self._has_texts = True
        self._texts.append(record.text or "")
        if record.offsets is not None:
            self._offsets.extend(record.offsets)
        self._bounds.append(self._bounds[-1] + record.length)

    def corpus(self) -> Corpus:
        n_tokens = self._bounds[-1]
        with_offsets = self._has_texts and len(self._offsets) == n_tokens
        return Corpus(
            {name: encoder.column() for name, encoder in self._columns.items()},
            self._bounds,
            document_bounds=(
                [*self._document_starts, self.n_sequences] if self.has_documents else None
            ),
            texts=self._texts if self._has_texts else None,
            offsets=(
                np.array(self._offsets, np.int64).reshape(n_tokens, 2) if with_offsets else None
            ),
        )
