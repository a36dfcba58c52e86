"""A linear tagger from a corpus on disk: all its classifiers at once, by L-BFGS over parts.

A part's features are numbered and agreed upon as for a `Tagger`. Each round goes through all parts,
here or on the workers of a cluster, and adds up their gradients as whole numbers, so that the
weights have the same bits wherever that was done.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import __version__, _native
from dovetail.base.executor import Executor, Multiples, WholeNumbers
from dovetail.chain.train.lbfgs import lbfgs
from dovetail.chain.train.objective import Precision
from dovetail.chain.train.shards.agreement import agree, as_dataset
from dovetail.chain.train.shards.index import (
    index_folder,
    index_parts,
    open_index,
    resolve_columns,
)
from dovetail.chain.train.shards.prepared import known_features
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError, ModelFileError, TrainingError
from dovetail.features import Template
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.fingerprint import fingerprint
from dovetail.io.open_parts import OpenParts
from dovetail.multitask.calibration import calibrate_factor
from dovetail.multitask.matrix import MAX_ITERATIONS, Codes, Doubles, Loss, Objective, Singles
from dovetail.multitask.training import HELD_OUT

ROWS = "rows of a part of a corpus"
TABLE = "features of a corpus"
SAMPLE = 200_000  # tokens held out that tell how far scores can be trusted
STEEPEST = {"modified_huber": 4.0, "logistic": 1.0, "squared_hinge": 2.0**20}  # slope of a loss

Array = npt.NDArray[Any]


class Order(NamedTuple):
    """Where the indexed parts are, where the table and the rows, and how many sequences come before
    each part."""

    indexed: str
    folder: str
    before: tuple[int, ...]


class Counts(NamedTuple):
    """Of a part: how often each label is held out, and how often it is not; and the sum of what its
    features count."""

    held_out: list[int]
    rest: list[int]
    reach: float


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


class Learned(NamedTuple):
    """What a training has found: weights [features x labels] of the features of a data set."""

    data: _native.Dataset
    weights: Singles
    labels: list[str]
    factor: float | None
    objective: float
    rounds: int


class ShardTraining:
    """The training of a linear tagger on a corpus on disk."""

    def __init__(
        self,
        shards: Shards,
        label: str | None,
        features: Template | str | None,
        min_count: int,
        executor: Executor,
        closing: ExitStack,
    ) -> None:
        self.executor = executor
        self.parts = range(len(shards))
        self.label, template = resolve_columns(shards, label, features)
        if not isinstance(template, Template):
            raise DataError("the features of a linear tagger are a template, or the name of a set")
        self.template = template
        indexed = index_folder(shards, template, self.label, closing)
        parts = index_parts(shards, template, self.label, indexed, executor)
        whole = agree(indexed, parts, min_count)
        self.labels = whole.labels
        if len(self.labels) < 2:
            there = f"only the label '{self.labels[0]}'" if self.labels else "no labels"
            raise DataError(f"the column '{self.label}' has {there}: classifiers need at least two")
        self.data = as_dataset(whole, template).native
        if not self.data.n_features:
            raise DataError(f"no feature occurs {min_count} times; lower min_count")
        before = np.cumsum([0, *shards.sequences[:-1]])
        facts = {"part_labels": self.labels, "whole": whole.facts}
        digest = fingerprint(__version__, f"{min_count} {self.labels} {Counts._fields}")[:16]
        folder = Path(indexed) / f"rows-{digest}"
        folder.mkdir(exist_ok=True)
        self.folder = str(folder)
        write_arrays(_table_path(self.folder), TABLE, {"keys": whole.arrays["keys"]}, facts)
        order = Order(indexed, self.folder, tuple(before.tolist()))
        self.counts = list(executor.each("rows", lay_out_rows, self.parts, order))
        closing.callback(OPEN.close, self.folder)

    def train(self, objective: Objective, *, calibrate: bool) -> Learned:
        """Train all classifiers, first without the sequences held out if their scores are wanted to
        tell how far such can be trusted."""
        factor, start = None, np.zeros(self.data.n_features * len(self.labels))
        rounds = 0
        if calibrate:
            held_out, rest = self._sum("held_out"), self._sum("rest")
            told = held_out.any() and np.count_nonzero(rest) >= 2
            on, apart = (False, True) if told else (None, None)
            start, _, rounds = self._minimise(objective, on, start)
            factor = self._calibrate(start, apart, int(held_out.sum() if told else rest.sum()))
        found, value, more = self._minimise(objective, None, start)
        weights = found.reshape(-1, len(self.labels)).astype(np.float32)
        return Learned(self.data, weights, self.labels, factor, value, rounds + more)

    def _sum(self, name: str) -> npt.NDArray[np.int64]:
        total: npt.NDArray[np.int64] = np.sum([getattr(one, name) for one in self.counts], axis=0)
        return total

    def _minimise(
        self, objective: Objective, held_out: bool | None, start: Doubles
    ) -> tuple[Doubles, float, int]:
        chosen = {None: ("held_out", "rest"), False: ("rest",), True: ("held_out",)}[held_out]
        n = sum(int(self._sum(name).sum()) for name in chosen)
        reach = sum(one.reach for one in self.counts)
        loss = ShardLoss(self, objective, held_out, n, reach)
        steps = lbfgs(loss, start, tolerance=objective.tolerance)
        for rounds, step in enumerate(steps):
            if step.finished or rounds >= MAX_ITERATIONS:
                break
        return step.weights, float(step.objective or 0.0), rounds

    def _calibrate(self, w: Doubles, held_out: bool | None, n: int) -> float:
        """The factor of probabilities, from some of the tokens, spread over the text."""
        every = max(1, -(-n // SAMPLE))
        weights = w.reshape(-1, len(self.labels))
        given = (weights, self.folder, held_out, every)
        found = list(self.executor.each("scores", score_rows, self.parts, *given))
        scores, codes = (np.concatenate(part) for part in zip(*found, strict=True))
        return calibrate_factor(scores, codes)


class ShardLoss:
    """The mean loss of all classifiers together, and their penalty, as a function of their weights
    [features x labels]; of all sequences, of those held out, or of the rest."""

    def __init__(
        self,
        training: ShardTraining,
        objective: Objective,
        held_out: bool | None,
        n: int,
        reach: float,
    ) -> None:
        self.training = training
        self.c2 = objective.penalty
        self.precision: Precision = "double"
        self.loss: Loss = objective.loss
        self.held_out = held_out
        self.n = max(n, 1)
        self.shape = (training.data.n_features, len(training.labels))
        self._unit = Multiples(STEEPEST[self.loss] * reach)

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    def switch_to_double(self) -> None:
        """All is in double precision."""

    def __call__(self, w: Doubles, /) -> tuple[float, Doubles]:
        training = self.training
        sums = np.zeros(self.shape, np.int64)
        given = (w.reshape(self.shape), training.folder, self._unit.exponent, self.loss)
        values = training.executor.add_up(
            "classifiers", pass_over_part, training.parts, [sums], *given, self.held_out
        )
        gradient = self._unit.to_real(sums).ravel() / self.n + 2.0 * self.c2 * w
        return sum(values) / self.n + self.c2 * float(np.sum(w * w)), gradient


def lay_out_rows(number: int, order: Order) -> Counts:
    """Write the rows of a part, with the features of the table, unless that has been done."""
    path = _rows_path(order.folder, number)
    if path.exists():
        return Counts(*read_arrays(path, ROWS, verify=False).facts["counts"])
    table, facts = read_arrays(_table_path(order.folder), TABLE, verify=False)
    own, own_facts = open_index(order.indexed, number, verify=True)
    data, feature = known_features(own, own_facts, table, facts)
    arrays: dict[str, Any] = dict(_native.dataset_arrays(data))
    sequences = arrays["sequences"].astype(np.int64)
    numbers = np.arange(len(sequences) - 1) + order.before[number]
    held_out = np.repeat(numbers % HELD_OUT == HELD_OUT - 1, np.diff(sequences))
    codes, n_labels = arrays["gold"], len(facts["part_labels"])
    values = arrays["values"]
    counts = Counts(
        held_out=np.bincount(codes[held_out & (codes >= 0)], minlength=n_labels).tolist(),
        rest=np.bincount(codes[~held_out & (codes >= 0)], minlength=n_labels).tolist(),
        reach=float(np.abs(values).sum(dtype=np.float64)) if values.size else len(arrays["ids"]),
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


def pass_over_part(
    number: int,
    sums: Sequence[WholeNumbers],
    w: Doubles,
    folder: str,
    exponent: int,
    loss: Loss,
    held_out: bool | None,
) -> float:
    """The losses of a part, and their gradient added to that of the others."""
    part = OPEN.get(folder, number)
    own = w[part.place]
    gradient = np.zeros(own.shape)
    value: float = _native.linear_pass(*part.features, part.codes_of(held_out), own, gradient, loss)
    try:
        _native.add_multiples(sums[0], part.place, gradient, exponent)
    except OverflowError:
        raise TrainingError(
            f"part {number}: sums have become infinite: a feature has values too large to learn "
            "from, or the penalty is too small"
        ) from None
    return value


def score_rows(
    number: int, w: Doubles, folder: str, held_out: bool | None, every: int
) -> tuple[Doubles, Codes]:
    """What the classifiers say of every so many of a part's chosen rows, and their labels."""
    part = OPEN.get(folder, number)
    codes = part.codes_of(held_out)
    scores = _native.linear_scores(*part.features, w[part.place])
    some = np.flatnonzero(codes >= 0)[::every]
    return scores[some], codes[some]
