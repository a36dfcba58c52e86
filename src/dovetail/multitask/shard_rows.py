"""The rows of a corpus on disk: features of each token by numbers of one table, and its label.

A part's features are numbered and agreed upon as for a `Tagger`, and its rows laid out in a file
beside it, which is mapped when it is read. Later trainings use it again, unless it is of the
directions or of the left out sequences of one target.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import __version__, _native
from dovetail.base.executor import Executor
from dovetail.chain.train.shards.agreement import agree, agree_beside, as_dataset
from dovetail.chain.train.shards.index import (
    Derived,
    index_folder,
    index_parts,
    open_index,
    resolve_columns,
)
from dovetail.chain.train.shards.prepared import known_features
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError, ModelFileError
from dovetail.features import Template
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.fingerprint import fingerprint
from dovetail.io.open_parts import OpenParts
from dovetail.multitask.matrix import Codes
from dovetail.multitask.training import HELD_OUT

ROWS = "rows of a part of a corpus"
TABLE = "features of a corpus"

Array = npt.NDArray[Any]
Left = Mapping[int, Array]  # sequences that are left out, by parts


class Order(NamedTuple):
    """Where the indexed parts are, where the table and the rows, how many sequences come before
    each part, and which are left out."""

    indexed: str
    folder: str
    before: tuple[int, ...]
    left_out: Left


class Counts(NamedTuple):
    """Of a part: how often each label is held out, and how often it is not; and the sum of what its
    features count, and of their squares."""

    held_out: list[int]
    rest: list[int]
    reach: float
    squares: float


class Rows:
    """A part whose file is mapped: rows of features, the table's number of each feature, labels,
    and which rows are held out."""

    def __init__(self, folder: str, number: int, *, check: bool) -> None:
        path = _rows_path(folder, number)
        try:
            arrays = read_arrays(path, ROWS, verify=check).arrays
            self.features = arrays["begin"], arrays["ids"], arrays["values"]
            self.codes, self.held_out = arrays["codes"], arrays["held_out"].astype(bool)
            self.place = arrays["place"]
        except (ModelFileError, KeyError) as error:
            raise DataError(f"part {number} of the corpus cannot be read: {error}") from None
        self.size = path.stat().st_size

    def codes_of(self, held_out: bool | None) -> Codes:
        """Labels of all rows, or of those held out, or of the rest; -1 for others."""
        if held_out is None:
            return self.codes
        return np.where(self.held_out == held_out, self.codes, np.int32(-1))


def _rows_path(folder: str, number: int) -> Path:
    return Path(folder) / f"rows-{number:05d}.shard"


def _table_path(folder: str) -> Path:
    return Path(folder) / "table.shard"


OPEN = OpenParts(_rows_path, Rows)


class CorpusRows:
    """The rows of all parts, those with features that occur ``min_count`` times, or that have one
    of the keys ``also``; without the labels of sequences that are left out."""

    def __init__(
        self,
        shards: Shards,
        label: str | Derived,
        template: Template,
        min_count: int,
        executor: Executor,
        closing: ExitStack,
        *,
        also: Array | None = None,
        left_out: Left | None = None,
    ) -> None:
        self.executor = executor
        self.parts = range(len(shards))
        indexed = index_folder(shards, template, label, closing)
        parts = index_parts(shards, template, label, indexed, executor)
        if also is None:
            whole = agree(indexed, parts, min_count)
        else:
            whole = agree_beside(indexed, parts, min_count, also)
        self.labels = whole.labels
        self.data: _native.Dataset = as_dataset(whole, template).native
        if not self.data.n_features:
            raise DataError(
                f"no feature occurs {min_count} times; lower min_count"
                if min_count > 1
                else "the template gives these tokens no feature at all"
            )
        self.frequent = whole.arrays["counts"] >= min_count
        before = tuple(np.cumsum([0, *shards.sequences[:-1]]).tolist())
        facts = {"part_labels": self.labels, "whole": whole.facts}
        left = left_out or {}
        digest = fingerprint(
            __version__,
            f"{min_count} {self.labels} {Counts._fields} {sorted(left)}",
            b"" if also is None else also.tobytes(),
            *(left[part].tobytes() for part in sorted(left)),
        )[:16]
        passing = also is not None or bool(left)  # for this very target: no other training has it
        own = f"-{uuid.uuid4().hex[:8]}" if passing else ""
        folder = Path(indexed) / f"rows-{digest}{own}"
        folder.mkdir(exist_ok=True)
        self.folder = str(folder)
        write_arrays(_table_path(self.folder), TABLE, {"keys": whole.arrays["keys"]}, facts)
        order = Order(indexed, self.folder, before, left)
        self.counts = list(executor.each("rows", lay_out_rows, self.parts, order))
        if passing:
            closing.callback(shutil.rmtree, self.folder, ignore_errors=True)
        closing.callback(OPEN.close, self.folder)

    @property
    def n_features(self) -> int:
        return self.data.n_features

    @property
    def reach(self) -> float:
        """What no sum of features over all rows exceeds."""
        return sum(one.reach for one in self.counts)

    @property
    def squares(self) -> float:
        """The sum of the squares of all features of all rows that have labels."""
        return sum(one.squares for one in self.counts)

    def count(self, held_out: bool | None) -> npt.NDArray[np.int64]:
        """How often each label occurs: in all rows, in those held out, or in the rest."""
        names = {None: ("held_out", "rest"), False: ("rest",), True: ("held_out",)}[held_out]
        found = [getattr(one, name) for one in self.counts for name in names]
        total: npt.NDArray[np.int64] = np.sum(found, axis=0)
        return total


def resolve_target(
    shards: Shards, label: str | None, features: Template | str | None
) -> tuple[str, Template]:
    """The column of labels, and the template of the others."""
    label, template = resolve_columns(shards, label, features)
    if not isinstance(template, Template):
        raise DataError("the features of a linear tagger are a template, or the name of a set")
    return label, template


def check_labels(labels: Sequence[str], label: str) -> None:
    """Refuse a target with nothing to tell apart."""
    if len(labels) < 2:
        there = f"only the label '{labels[0]}'" if labels else "no labels"
        raise DataError(f"the column '{label}' has {there}: classifiers need at least two")


def lay_out_rows(number: int, order: Order) -> Counts:
    """Write the rows of a part, with the features of the table, unless that has been done."""
    path = _rows_path(order.folder, number)
    if path.exists():
        return Counts(*read_arrays(path, ROWS, verify=False).facts["counts"])
    table, facts = read_arrays(_table_path(order.folder), TABLE, verify=False)
    own, own_facts = open_index(order.indexed, number, verify=True)
    data, feature = known_features(own, own_facts, table, facts)
    arrays: dict[str, Any] = dict(_native.dataset_arrays(data))
    lengths = np.diff(arrays["sequences"].astype(np.int64))
    sequences = np.arange(len(lengths))
    out = (sequences + order.before[number]) % HELD_OUT == HELD_OUT - 1
    held_out = np.repeat(out, lengths)
    gone = np.isin(sequences, order.left_out.get(number, sequences[:0]))
    gold = arrays["gold"]
    codes = np.where(np.repeat(gone, lengths) | (gold < 0), np.int32(-1), gold)
    n_labels, values = len(facts["part_labels"]), arrays["values"]
    labelled = np.repeat(codes >= 0, np.diff(arrays["tokens"].astype(np.int64)))
    occurring = int(np.count_nonzero(labelled))
    squares = np.square(values, dtype=np.float64)[labelled].sum() if values.size else occurring
    counts = Counts(
        held_out=np.bincount(codes[held_out & (codes >= 0)], minlength=n_labels).tolist(),
        rest=np.bincount(codes[~held_out & (codes >= 0)], minlength=n_labels).tolist(),
        reach=float(np.abs(values).sum(dtype=np.float64)) if values.size else len(arrays["ids"]),
        squares=float(squares),
    )
    rows = {
        "begin": arrays["tokens"],
        "ids": arrays["ids"],
        "values": values,
        "codes": codes,
        "held_out": held_out.astype(np.uint8),
        "place": feature.astype(np.uint32),
    }
    write_arrays(path, ROWS, rows, {"counts": counts})
    return counts
