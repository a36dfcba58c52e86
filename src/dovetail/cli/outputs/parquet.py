"""Tagged sequences as Parquet: the columns that were read, whatever they hold, then those found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dovetail.cli.outputs.results import LayeredResult, Result
from dovetail.corpus.arrow import import_pyarrow
from dovetail.corpus.parquet import ROW_GROUP
from dovetail.errors import DataError
from dovetail.io.files import PathLike, atomic_write


class Found(NamedTuple):
    """What is found of each sequence by the ``layers`` of a pipeline, or, without any, a tagger."""

    layers: Sequence[str]
    confidences: bool
    spans: bool
    nbest: bool


def result_columns(found: Found, results: Sequence[Any]) -> dict[str, Any]:
    """The columns that are added, as arrays; their types are the same for any results.

    A tagger adds "predicted", its labels, and where they are asked for "confidence", "spans" (of
    tokens, from start up to, not including, end) and "nbest". A pipeline adds them for each layer,
    as "predicted_NAME", and the "probability" of all its labels together.
    """
    pa = import_pyarrow()
    labels = pa.list_(pa.string())
    columns: dict[str, Any] = {}
    for name in found.layers or ("",):
        own: list[Result] = [one.layers[name] if name else one for one in results]
        end = f"_{name}" if name else ""
        columns[f"predicted{end}"] = pa.array([one.labels for one in own], labels)
        if found.confidences:
            kind = pa.list_(pa.float64())
            columns[f"confidence{end}"] = pa.array([one.confidences for one in own], kind)
        if found.spans:
            columns[f"spans{end}"] = _spans(own)
    if found.confidences and found.layers:
        shares = [one.probability for one in results]
        columns["probability"] = pa.array(shares, pa.float64())
    if found.nbest:
        columns["nbest"] = _nbest(found.layers, results)
    return columns


def write_tables(tables: Iterable[tuple[Any, Mapping[str, Any]]], target: PathLike) -> None:
    """Write tables and the columns that each is given as one file, whole or not at all.

    There is at least one table. Row groups do not depend on how many tables there are.
    """
    pa = import_pyarrow()
    with atomic_write(target) as file:
        writer: Any = None
        waiting: list[Any] = []
        for table, columns in tables:
            names = table.schema.names
            twice = next((name for name in columns if name in names), None)
            if twice is not None:
                raise DataError(f"there is a column {twice!r} already: give it another name first")
            made = pa.table({**dict(zip(names, table.columns, strict=True)), **columns})
            writer = writer or pa.parquet.ParquetWriter(file, made.schema)
            waiting = _write_groups(writer, [*waiting, made], ROW_GROUP)
        if waiting:
            _write_groups(writer, waiting, 1)
        writer.close()


def _write_groups(writer: Any, tables: Sequence[Any], least: int) -> list[Any]:
    """Write what makes row groups of at least so many rows; the rest is returned."""
    pa = import_pyarrow()
    if not tables:
        return []
    rows = pa.concat_tables(tables)
    while len(rows) >= least:
        writer.write_table(rows.slice(0, ROW_GROUP).combine_chunks())
        rows = rows.slice(ROW_GROUP)
    return [rows] if len(rows) else []


def _spans(results: Sequence[Result]) -> Any:
    pa = import_pyarrow()
    names = ("start", "end", "label", "probability")
    kinds = (pa.int32(), pa.int32(), pa.string(), pa.float64())
    rows = [
        None if one.spans is None else [dict(zip(names, span, strict=True)) for span in one.spans]
        for one in results
    ]
    return pa.array(rows, pa.list_(pa.struct([*zip(names, kinds, strict=True)])))


def _nbest(layers: Sequence[str], results: Sequence[Result] | Sequence[LayeredResult]) -> Any:
    pa = import_pyarrow()
    labels = pa.list_(pa.string())
    kind = pa.struct([(name, labels) for name in layers]) if layers else labels
    rows = [[{"labels": y, "probability": p} for y, p in one.nbest or ()] for one in results]
    return pa.array(rows, pa.list_(pa.struct([("labels", kind), ("probability", pa.float64())])))
