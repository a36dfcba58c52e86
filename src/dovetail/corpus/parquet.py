"""Parquet files, and folders of them: a row a sequence, every column a list of strings a row.

What the columns are is told in `dovetail.corpus.arrow`. Files are read a batch of rows at a time,
so they may be larger than memory.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.corpus.arrow import (
    RESERVED,
    check_columns,
    from_arrow,
    import_pyarrow,
    string_columns,
    to_arrow,
)
from dovetail.corpus.markup import natural_order
from dovetail.corpus.records import CHUNK_SIZE
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError
from dovetail.io.files import PathLike, atomic_write

_log = logging.getLogger(__name__)
SUFFIX = ".parquet"
ROW_GROUP = 20_000  # rows that are written together
BUFFER = 1 << 20  # bytes of a column that are read ahead


def read_parquet(path: PathLike) -> Corpus:
    """Read a Parquet file, or all that a folder holds; rows without tokens are left out.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.parquet")
    >>> write_parquet(Corpus.from_lists({"word": [["EU"]], "label": [["B-ORG"]]}), path)
    >>> read_parquet(path).lists("label")
    [['B-ORG']]
    """
    chunks = [*stream_parquet(path, chunk_size=ROW_GROUP)]
    if not chunks:
        return Corpus.from_lists({"word": []})
    whole = Corpus.concatenate(chunks)
    return Corpus(
        whole.columns,
        whole.bounds,
        document_bounds=_joined_documents(chunks),
        texts=whole.texts,
        offsets=whole.offsets,
    )


def stream_parquet(path: PathLike, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Corpus]:
    """The same as a stream of corpora of at most ``chunk_size`` sequences, in bounded memory.

    A document that runs over the end of a chunk goes on in one of its own, without document bounds.
    """
    if chunk_size < 1:
        raise DataError(f"a chunk must hold at least one sequence, not {chunk_size}")
    empty = 0
    last: list[object] = []  # the document of the row before, if there is one
    first: dict[str, str] | None = None
    for file in parquet_files(path):
        with open_parquet(file) as opened:
            names = string_columns(opened.schema_arrow)
            first = names if first is None else first
            if [*names] != [*first]:
                raise DataError(
                    f"{file} has the columns {', '.join(names)} where the files before it have "
                    f"{', '.join(first)}"
                )
            row = 0
            for batch in batches(opened, chunk_size):
                corpus = from_arrow(batch, str(file), row)
                row += len(batch)
                documents = _documents(batch)
                going_on = _count_going_on(documents, *last) if last else 0
                last = documents[-1:]
                for part in _split(corpus, going_on):
                    filled = np.flatnonzero(np.diff(part.bounds))
                    empty += len(part) - len(filled)
                    if len(filled):
                        yield part if len(filled) == len(part) else part.select(filled)
    if empty:
        _log.warning("%s: %d rows without tokens were left out", os.fspath(path), empty)


def write_parquet(corpus: Corpus, target: PathLike) -> None:
    """Write a corpus as one file: all columns, texts and offsets; documents have numbers."""
    pa = import_pyarrow()
    table = to_arrow(corpus)
    with atomic_write(target) as file, pa.parquet.ParquetWriter(file, table.schema) as writer:
        writer.write_table(table, row_group_size=ROW_GROUP)


def recognizes(path: Path) -> bool:
    """Whether this is a folder of Parquet files."""
    return os.path.isdir(path) and any(path.glob(f"*{SUFFIX}"))


def find_unread(path: PathLike) -> list[str]:
    """What of a file is not read, as phrases for a person: columns of other things than strings."""
    with open_parquet(parquet_files(path)[0]) as opened:
        schema = opened.schema_arrow
    known = {*string_columns(schema).values(), *RESERVED}
    others = [name for name in schema.names if name not in known]
    return [f"of no use here and left out: the columns {', '.join(others)}"] if others else []


def parquet_files(path: PathLike) -> list[Path]:
    """The files of a dataset, in their order."""
    given = Path(os.fspath(path))
    if not os.path.isdir(given):
        return [given]
    found = [file for file in given.glob(f"*{SUFFIX}") if not file.name.startswith((".", "_"))]
    if not found:
        raise DataError(f"the folder {given} has no files *{SUFFIX}")
    return sorted(found, key=lambda file: natural_order(file.name))


@contextmanager
def open_parquet(path: PathLike) -> Iterator[Any]:
    """A file with its schema and row groups; whatever is wrong with it is one sentence."""
    pa = import_pyarrow()
    if os.fspath(path) == "-":
        raise DataError("Parquet cannot be read from standard input: name a file or folder")
    try:
        with pa.parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as opened:
            check_columns(opened.schema_arrow, os.fspath(path))
            yield opened
    except FileNotFoundError:
        raise DataError(f"cannot read {os.fspath(path)}: there is no such file") from None
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{os.fspath(path)} cannot be read as Parquet: {reason}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{os.fspath(path)} has names that are not UTF-8: {error.reason}") from None
    except OSError as error:
        reason = error.strerror or str(error).splitlines()[0]
        raise DataError(f"cannot read {os.fspath(path)}: {reason}") from None


def batches(opened: Any, size: int, row_groups: Sequence[int] | None = None) -> Iterator[Any]:
    """The rows of an open file, or of some of its row groups, ``size`` of them at a time."""
    return iter(opened.iter_batches(batch_size=min(size, 1 << 30), row_groups=row_groups))


def _documents(batch: Any) -> list[object]:
    """Which document each row belongs to, if rows say so."""
    has = "document" in batch.schema.names
    found: list[object] = batch.column("document").to_pylist() if has else []
    return found


def _count_going_on(documents: Sequence[object], before: object) -> int:
    """How many rows belong to the document of the row before them."""
    for number, document in enumerate(documents):
        if document not in (None, before):
            return number
        before = document
    return len(documents)


def _split(corpus: Corpus, at: int) -> list[Corpus]:
    """The sequences before a place, which have no document bounds, and those after it."""
    if not at:
        return [corpus]
    before = corpus[:at]
    bare = Corpus(before.columns, before.bounds, texts=before.texts, offsets=before.offsets)
    return [bare, corpus[at:]] if at < len(corpus) else [bare]


def _joined_documents(chunks: Sequence[Corpus]) -> list[int] | None:
    """The document bounds of all chunks together, some of which go on with a document."""
    if all(chunk.document_bounds is None for chunk in chunks):
        return None
    starts, n = {0}, 0
    for chunk in chunks:
        own = [] if chunk.document_bounds is None else chunk.document_bounds[:-1].tolist()
        starts |= {n + start for start in own}
        n += len(chunk)
    return [*sorted(starts), n]
