"""Between file formats and tables: a reader yields records, and here they become a corpus.

Every format is one generator of `Record`; reading whole and streaming in chunks follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dovetail.corpus.record import Record, RecordGatherer
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError

CHUNK_SIZE = 1000


def to_corpus(records: Iterable[Record], names: Iterable[str] = ()) -> Corpus:
    """Gather all records into one corpus; ``names`` are columns it has even without records."""
    gatherer = RecordGatherer(names)
    for record in records:
        gatherer.add(record)
    return Corpus(**gatherer.parts())


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
    gatherer = RecordGatherer(names)
    goes_on = started = False
    for record in records:
        if goes_on and record.opens_document and gatherer.n_sequences:
            yield Corpus(**gatherer.parts())
            gatherer = RecordGatherer(names)
        if not gatherer.n_sequences:
            goes_on, started = started and not record.opens_document, True
        gatherer.add(record)
        if gatherer.n_sequences == chunk_size:
            yield Corpus(**gatherer.parts())
            gatherer = RecordGatherer(names)
    if gatherer.n_sequences:
        yield Corpus(**gatherer.parts())
