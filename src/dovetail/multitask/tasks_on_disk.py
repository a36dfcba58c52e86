"""Auxiliary tasks over corpora on disk: what they are to predict is said, and made part by part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from dovetail.base.executor import Executor
from dovetail.chain.train.shards.index import Derived
from dovetail.corpus import Column, Corpus
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask.masking import mask_values
from dovetail.multitask.shard_rows import CorpusRows, Left
from dovetail.representation.shards import count_words

MASKED = "\N{MATHEMATICAL LEFT ANGLE BRACKET}masked\N{MATHEMATICAL RIGHT ANGLE BRACKET}"
OTHER = "\N{MATHEMATICAL LEFT ANGLE BRACKET}other\N{MATHEMATICAL RIGHT ANGLE BRACKET}"


@dataclass(frozen=True, eq=False)
class ShardTask:
    """A label for each token of a corpus on disk: its column ``column`` or, with an ``offset``, the
    ``most`` frequent values of that column so many tokens away."""

    name: str
    shards: Shards = field(repr=False)
    column: str
    offset: int | None = None
    most: int = 0
    left_out: Left = field(default_factory=dict, repr=False)

    is_part = False

    def __post_init__(self) -> None:
        if self.column not in self.shards.names:
            raise DataError(
                f"there is no column '{self.column}'; the data has {', '.join(self.shards.names)}"
            )

    @property
    def learned_from(self) -> str | None:
        """The column of labels that a person gave, if it is one."""
        return self.column if self.offset is None else None

    def without(self, sequences: Left) -> ShardTask:
        """The task without the labels of some sequences, by parts."""
        return replace(self, left_out=sequences)

    def count(self, executor: Executor) -> int:
        """How many tokens have a label; of words to be told from others, all have."""
        if self.offset is not None:
            return self.shards.n_tokens
        return sum(count_values(self.shards, self.column, executor).values())

    def open(
        self, template: Template, min_count: int, executor: Executor, closing: ExitStack
    ) -> OpenTask:
        """Its rows, laid out, and the problems that they make."""
        if self.offset is None:
            labels: str | Derived = self.column
        else:
            counts = count_values(self.shards, self.column, executor)
            chosen = sorted(counts, key=lambda value: -counts[value])
            labels = Masked(self.column, self.offset, tuple(chosen[: self.most]))
        rows = CorpusRows(
            self.shards, labels, template, min_count, executor, closing, left_out=self.left_out
        )
        sizes = rows.count(None)
        if not sizes.any():
            raise DataError(f"the auxiliary task '{self.name}' is empty: it has no labelled token")
        if (sizes > 0).sum() < 2:
            raise DataError(
                f"the auxiliary task '{self.name}' has one class only: there is nothing to tell "
                "apart; leave it out, or give it more text"
            )
        problems = [k for k, label in enumerate(rows.labels) if sizes[k] and label != OTHER]
        return OpenTask(self, rows, problems)


@dataclass(frozen=True)
class OpenTask:
    """A task whose rows are laid out; ``problems`` are the numbers of the labels to be told from
    all others."""

    task: ShardTask
    rows: CorpusRows
    problems: Sequence[int]

    @property
    def name(self) -> str:
        return self.task.name

    @property
    def learned_from(self) -> str | None:
        return self.task.learned_from

    @property
    def n_tokens(self) -> int:
        return int(self.rows.count(None).sum())

    @property
    def labels(self) -> list[str]:
        return [self.rows.labels[k] for k in self.problems]


@dataclass(frozen=True)
class Masked:
    """Values of a column so many tokens away, as labels."""

    column: str
    offset: int
    values: tuple[str, ...]

    @property
    def key(self) -> str:
        return json.dumps(["masked", self.column, self.offset, self.values])

    def derive(self, part: Corpus, features: Template) -> tuple[Corpus, str, Template]:
        """A part with a column of these labels, and the features that do not read what is there."""
        column = part.column(self.column)
        numbers = {value: number for number, value in enumerate(self.values)}
        other = len(numbers)
        codes = mask_values(
            part, column.codes, [numbers.get(level, other) for level in column.levels], self.offset
        )
        labels: Any = Column(codes, (*self.values, OTHER))
        return part.with_column(MASKED, labels), MASKED, features.hiding(self.offset)


def count_values(shards: Shards, column: str, executor: Executor) -> dict[str, int]:
    """How often a column of a corpus has each of its values, in the order of their appearance."""
    counts: dict[str, int] = {}
    parts = range(len(shards))
    for found in executor.each("words", count_words, parts, str(shards.folder), column):
        for value, count in found.items():
            counts[value] = counts.get(value, 0) + count
    return counts
