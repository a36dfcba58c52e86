"""Features of the tokens of one or several corpora, numbered together, as rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.numeric import eigh, matmul

Loss = Literal["modified_huber", "logistic", "squared_hinge"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
MAX_ITERATIONS = 200
MOST = 2**31 - 1
NOTHING = 1e-6  # of the largest square of a block
Codes = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


class Matrix:
    """Rows of features. Corpora are added one after another; what one brings twice is added once.

    ``hidden`` is an offset: features that read a column there are left out, so that what stands
    there can be a thing to learn. The first features are those of ``known``, if it is given.
    """

    def __init__(self, template: Template, known: _native.Dataset | None = None) -> None:
        self.template = template
        self.native = _native.Dataset() if known is None else known.features_alone()
        self._firsts: dict[tuple[int, int | None], int] = {}
        self._kept: list[Corpus] = []  # so that no other corpus gets the number of one of these

    def add(self, corpus: Corpus, hidden: int | None = None) -> int:
        """The row of a corpus's first token."""
        key = (id(corpus), hidden)
        if key not in self._firsts:
            self._kept.append(corpus)
            self._firsts[key] = self.native.n_tokens
            template = self.template if hidden is None else self.template.hiding(hidden)
            columns = template.read_whole(corpus)
            compiled = template.compile_rows(template.rows)
            compiled.extract_into(self.native, columns, None, None, None)
        return self._firsts[key]

    @property
    def n_features(self) -> int:
        return self.native.n_features

    def rows(self, tokens: npt.NDArray[np.int64], min_count: int = 1) -> _native.LinearRows:
        """Some of the rows, with the features that so many of them have."""
        return _native.LinearRows(self.native, tokens.astype(np.uint64), min_count)

    def rows_to_learn(self, tokens: npt.NDArray[np.int64], min_count: int) -> _native.LinearRows:
        """Some of the rows, which must have features."""
        rows = self.rows(tokens, min_count)
        if not rows.n_features:
            raise DataError(
                f"no feature occurs {min_count} times; lower min_count"
                if min_count > 1
                else "the template gives these tokens no feature at all"
            )
        return rows


def check_above_0(what: str, value: Any) -> None:
    """Refuse what is no finite number above 0."""
    if not (isinstance(value, int | float | np.number) and np.isfinite(value) and value > 0):
        raise DataError(f"{what} is {value!r}; give a number above 0")


def check_not_negative(what: str, value: Any, or_else: str) -> None:
    """Refuse what is no finite number of at least 0."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (number and np.isfinite(value) and value >= 0):
        raise DataError(f"{what} is {value!r}; give {or_else}, or a number of at least 0")


def check_whole(what: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number of at least so many, or more than anyone can have."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise DataError(f"{what} is {value!r}; give a whole number of at least {least}")
    if value > MOST:
        raise DataError(f"{what} is {value}; give a number of at most {MOST:,}")


@dataclass(frozen=True)
class Objective:
    """What a classifier minimises: the mean loss of the tokens, and ``penalty`` times the sum of
    squares of its weights; those of a dense block are free, or have a penalty of their own."""

    loss: Loss = "modified_huber"
    penalty: float = 1e-4
    tolerance: float = 1e-3

    def check(self) -> None:
        """Refuse what cannot be minimised."""
        if self.loss not in LOSSES:
            raise DataError(f"there is no loss '{self.loss}'; choose from {', '.join(LOSSES)}")
        for what in ("penalty", "tolerance"):
            check_above_0(what, getattr(self, what))


@dataclass(frozen=True)
class Classifiers:
    """A classifier for each of some labels against all others.

    ``found`` are weights [labels x features of the rows], or coefficients [labels x rows] of which
    the weights are the sum X'a; ``block`` are weights [labels x h] of a block of dense features.
    """

    found: Singles
    block: Singles
    objectives: Doubles
    iterations: npt.NDArray[np.int64]


def classifiers(
    rows: _native.LinearRows,
    codes: Codes,
    positives: Sequence[int],
    objective: Objective,
    *,
    block: Singles | None = None,
    block_penalty: float = 0.0,
    keep_weights: bool = True,
    threads: int = 1,
) -> Classifiers:
    """Train them, each by one thread; tokens whose code is -1 are left out. With a
    ``block_penalty`` of 0 the weights of the block are free."""
    codes = np.ascontiguousarray(codes, np.int32)
    dense = np.zeros((rows.n_rows, 0), np.float32) if block is None else block
    whitening = _whitening(dense[codes >= 0], threads) if block_penalty == 0 else None
    if whitening is not None:
        dense = matmul(dense, whitening, threads=threads)
    found = Classifiers(
        *rows.fit(
            codes,
            list(positives),
            np.ascontiguousarray(dense),
            objective.loss,
            objective.penalty,
            objective.tolerance,
            MAX_ITERATIONS,
            keep_weights,
            threads,
            block_penalty,
        )
    )
    if not np.isfinite(found.objectives).all():
        raise DataError(
            "sums have become infinite: a feature has values too large to learn from, or the "
            "penalty is too small"
        )
    return found if whitening is None else replace(found, block=matmul(found.block, whitening.T))


def _whitening(block: Singles, threads: int) -> Singles:
    """A matrix [h x h] that makes the columns of a block uncorrelated and of one size, which is
    when free weights are found soonest; directions in which it does not vary get no weight."""
    products = matmul(block.T, block, threads=threads)
    squares, vectors = eigh(products.astype(np.float64), threads=threads)
    least = NOTHING * max(float(squares.max(initial=0.0)), 1e-30)
    inverse = np.where(squares > least, 1 / np.sqrt(np.maximum(squares, least)), 0.0)
    scaled = vectors * inverse * np.sqrt(max(1, len(block)))
    return np.asarray(scaled, np.float32)


def number_labels(column: Column) -> tuple[Codes, list[str]]:
    """A column's values as numbers of the levels that occur, -1 where they are missing."""
    used, codes = np.unique(column.codes, return_inverse=True)
    missing = int(used.size > 0 and used[0] < 0)
    levels = [column.levels[code] for code in used[missing:].tolist()]
    return (codes - missing).astype(np.int32), levels
