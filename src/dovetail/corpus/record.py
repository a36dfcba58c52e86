"""Sequences as they are read, gathered into what a table is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.corpus.column import ColumnEncoder


@dataclass(frozen=True, slots=True)
class Record:
    """One sequence as read: equally long columns, and whether it opens a new document."""

    columns: Mapping[str, Sequence[str | None]]
    length: int
    opens_document: bool = False
    text: str | None = None
    offsets: Sequence[tuple[int, int]] | None = None


class RecordGatherer:
    """Takes one record after another; ``names`` are columns there are even without records."""

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
        """Take one more sequence."""
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

    def parts(self) -> dict[str, Any]:
        """The arguments of a `Corpus` of all these records."""
        n_tokens = self._bounds[-1]
        with_offsets = self._has_texts and len(self._offsets) == n_tokens
        starts = [*self._document_starts, self.n_sequences]
        offsets = np.array(self._offsets, np.int64).reshape(-1, 2) if with_offsets else None
        return {
            "columns": {name: encoder.column() for name, encoder in self._columns.items()},
            "bounds": self._bounds,
            "document_bounds": starts if self.has_documents else None,
            "texts": self._texts if self._has_texts else None,
            "offsets": offsets,
        }
