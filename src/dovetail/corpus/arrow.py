"""Corpora as Arrow tables, a row a sequence: every column of strings is a list a row.

"text" is the raw text and "offsets" has ``[start, end]`` of each token in it; rows that follow one
another with the same "document", a number or a string, are one document. "tokens" and "labels"
read as "word" and "label" where these are not there. A row with nothing but a text is tokenized.
Other columns are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus.column import MISSING, Column
from dovetail.corpus.span_texts import document_numbers
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError, DovetailError

OTHER_NAMES = {"tokens": "word", "labels": "label"}
RESERVED = ("text", "offsets", "document")


def import_pyarrow() -> Any:
    """The package pyarrow, or a sentence on how to install it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DovetailError("Parquet needs pyarrow: pip install 'dovetail[parquet]'") from None
    return pyarrow


def string_columns(schema: Any) -> dict[str, str]:
    """The columns of a table that are columns of a corpus, by their names there."""
    pa = import_pyarrow()

    def holds_strings(kind: Any) -> bool:
        value = kind.value_type
        value = value.value_type if pa.types.is_dictionary(value) else value
        return bool(pa.types.is_string(value) or pa.types.is_large_string(value))

    own = [
        field.name
        for field in schema
        if (pa.types.is_list(field.type) or pa.types.is_large_list(field.type))
        and holds_strings(field.type)
        and field.name not in RESERVED
    ]
    return {
        name if OTHER_NAMES.get(name, name) in own else OTHER_NAMES.get(name, name): name
        for name in own
    }


def check_columns(schema: Any, where: str) -> None:
    """Refuse a table in which there is nothing to read."""
    if not string_columns(schema) and "text" not in schema.names:
        raise DataError(
            f"{where} has neither a column of lists of strings, such as tokens, nor one of text; "
            f"its columns are: {', '.join(schema.names)}"
        )


def from_arrow(batch: Any, where: str, row: int = 0) -> Corpus:
    """A corpus of a record batch, with a sequence for each row, also for one without tokens.

    ``where`` and ``row``, the number of the first row, are for complaints.
    """
    check_columns(batch.schema, where)
    names = string_columns(batch.schema)
    documents = _document_bounds(batch)
    texts = _texts(batch, where)
    if not names:
        tokenized = Corpus.from_texts(texts or ())
        return Corpus(
            tokenized.columns,
            tokenized.bounds,
            document_bounds=documents,
            offsets=tokenized.offsets,
            texts=tokenized.texts,
        )
    lengths = {name: _lengths(batch.column(own)) for name, own in names.items()}
    length = np.maximum(np.max(list(lengths.values()), axis=0), 0)
    for name, given in lengths.items():
        wrong = np.flatnonzero((given >= 0) & (given != length))
        if wrong.size:
            k = int(wrong[0])
            raise DataError(
                f"{where}, row {row + k + 1}: the column {names[name]!r} has {given[k]} values for "
                f"{length[k]} tokens"
            )
    bounds = np.concatenate([[0], np.cumsum(length)])
    columns = {
        name: _column(batch.column(own), np.repeat(lengths[name] >= 0, length), where)
        for name, own in names.items()
    }
    offsets = None if texts is None else _offsets(batch, texts, bounds, where, row)
    return Corpus(columns, bounds, document_bounds=documents, texts=texts, offsets=offsets)


def to_arrow(corpus: Corpus) -> Any:
    """A table of a corpus, with its columns under their names."""
    pa = import_pyarrow()
    odd = next((name for name in corpus.names if name in RESERVED), None)
    if odd is not None:
        raise DataError(f"a column cannot be called {odd!r} in Parquet, which has another {odd}")
    arrays: dict[str, Any] = {}
    bounds = pa.array(corpus.bounds, pa.int32())
    for name, column in corpus.columns.items():
        codes = pa.array(column.codes, mask=column.missing)
        levels = pa.array(column.levels, pa.string())
        values = pa.DictionaryArray.from_arrays(codes, levels).dictionary_decode()
        arrays[name] = pa.ListArray.from_arrays(bounds, values)
    if corpus.texts is not None:
        arrays["text"] = pa.array(corpus.texts, pa.string())
    if corpus.texts is not None and corpus.offsets is not None:
        pairs = pa.FixedSizeListArray.from_arrays(pa.array(corpus.offsets.reshape(-1)), 2)
        arrays["offsets"] = pa.ListArray.from_arrays(bounds, pairs)
    if corpus.document_bounds is not None:
        arrays["document"] = pa.array(document_numbers(corpus), pa.int64())
    return pa.table(arrays)


def _is_list(kind: Any) -> bool:
    types = import_pyarrow().types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _lengths(lists: Any) -> NDArray[np.int64]:
    """How many values each row has; -1 where there is no list."""
    return np.asarray(lists.value_lengths().fill_null(-1)).astype(np.int64)


def _column(lists: Any, there: NDArray[np.bool_], where: str) -> Column:
    """A column of all rows' values; ``there`` are the tokens of rows that have a list."""
    pa = import_pyarrow()
    flat = lists.flatten()
    if pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_decode()
    encoded = flat.dictionary_encode()
    codes = np.full(len(there), MISSING, np.int32)
    codes[there] = np.asarray(encoded.indices.fill_null(MISSING))
    return Column(codes, tuple(_strings(encoded.dictionary, where)))


def _strings(values: Any, where: str) -> list[Any]:
    try:
        found: list[Any] = values.to_pylist()
    except UnicodeDecodeError as error:
        raise DataError(f"{where} has a string that is not UTF-8: {error.reason}") from None
    return found


def _texts(batch: Any, where: str) -> list[str] | None:
    pa = import_pyarrow()
    if "text" not in batch.schema.names:
        return None
    kind = batch.schema.field("text").type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    return [text or "" for text in _strings(batch.column("text"), where)]


def _offsets(
    batch: Any, texts: Sequence[str], bounds: NDArray[np.int64], where: str, row: int
) -> NDArray[np.int64] | None:
    """Where the tokens are in the texts, if every row says so; checked."""
    pa = import_pyarrow()
    if "offsets" not in batch.schema.names:
        return None
    lists = batch.column("offsets")
    if lists.null_count or not _is_list(lists.type) or not _is_list(lists.type.value_type):
        return None
    if not pa.types.is_integer(lists.type.value_type.value_type):
        return None
    pairs = lists.flatten()
    numbers = pairs.flatten()
    n = int(bounds[-1])
    fits = np.array_equal(_lengths(lists), np.diff(bounds)) and not numbers.null_count
    if not fits or (_lengths(pairs) != 2).any():
        raise DataError(f"{where}: 'offsets' must be as many pairs of numbers as there are tokens")
    found = np.asarray(numbers).astype(np.int64).reshape(n, 2)
    ends = np.repeat([len(text) for text in texts], np.diff(bounds))
    floor = np.concatenate([[0], found[:-1, 1]])[:n]
    floor[bounds[:-1][np.diff(bounds) > 0]] = 0
    wrong = (found[:, 0] < floor) | (found[:, 0] >= found[:, 1]) | (found[:, 1] > ends)
    if wrong.any():
        token = int(np.flatnonzero(wrong)[0])
        sequence = int(np.searchsorted(bounds, token, side="right")) - 1
        raise DataError(
            f"{where}, row {row + sequence + 1}: token {token - int(bounds[sequence]) + 1} has the "
            f"offsets {found[token].tolist()} in a text of {ends[token]} characters"
        )
    return found


def _document_bounds(batch: Any) -> list[int] | None:
    """Where documents begin, if rows say which document they belong to."""
    pa = import_pyarrow()
    if "document" not in batch.schema.names or not len(batch):
        return None
    kind = batch.schema.field("document").type
    if not (
        pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
    ):
        return None
    given = batch.column("document").to_pylist()
    starts = [k for k in range(1, len(given)) if given[k] not in (None, given[k - 1])]
    if given[0] is None and not starts:
        return None
    return [0, *starts, len(given)]
