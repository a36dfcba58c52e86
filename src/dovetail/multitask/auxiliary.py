"""Auxiliary tasks: problems that are solved for the sake of what their solutions have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

import numpy as np

from dovetail.corpus import Corpus, Shards
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.multitask.masking import mask_values
from dovetail.multitask.matrix import Codes, check_whole, number_labels
from dovetail.multitask.tasks_on_disk import ShardTask

MOST_VALUES = 20


@dataclass(frozen=True, eq=False)
class AuxiliaryTask:
    """A label for each token of a corpus, by number: -1 where the token is left out.

    Each of ``labels`` is a problem of its own, that label against all others. Numbers beyond them
    are other values, which count against all labels. ``hidden`` is an offset at which features may
    read nothing; ``learned_from`` the column of labels that a person gave, if it is one;
    ``is_part`` says that other parts of the text have the same task.
    """

    name: str
    corpus: Corpus
    codes: Codes = field(repr=False)
    labels: tuple[str, ...]
    hidden: int | None = None
    learned_from: str | None = None
    is_part: bool = False

    def __post_init__(self) -> None:
        used = np.unique(self.codes[self.codes >= 0])
        if not used.size:
            raise DataError(f"the auxiliary task '{self.name}' is empty: it has no labelled token")
        if used.size < 2:
            raise DataError(
                f"the auxiliary task '{self.name}' has one class only: there is nothing to tell "
                + ("apart; make fewer parts" if self.is_part else "apart; leave it out")
                + ", or give it more text"
            )

    @cached_property
    def firsts(self) -> Mapping[tuple[str | None, ...], int]:
        """The first token of each sequence, by its words; of copies, that of the last one."""
        return dict(zip(sequence_keys(self.corpus), self.corpus.bounds.tolist(), strict=False))

    @property
    def positives(self) -> list[int]:
        """The numbers of the labels that occur."""
        used = np.unique(self.codes)
        return [int(code) for code in used if 0 <= code < len(self.labels)]


def parts(corpus: Corpus, label: str, n: int) -> list[AuxiliaryTask]:
    """The task itself on each of n equal parts of its training text, as in He et al. (2009).

    `ASO` makes them itself by ``n_parts``, and for tokens of a part leaves out what that part has
    brought.

    >>> corpus = Corpus.from_lists({"word": [["a", "b"]] * 4, "tag": [["X", "Y"]] * 4})
    >>> [task.name for task in parts(corpus, "tag", 2)]
    ['part 1 of 2', 'part 2 of 2']
    """
    check_whole("n", n)
    filled = np.flatnonzero(np.diff(corpus.bounds))
    if len(filled) < n:
        raise DataError(
            f"{len(filled)} sequences cannot be divided into {n} parts: some would be empty; give "
            "fewer parts, or more text"
        )
    codes, labels = number_labels(corpus.column(label))
    tasks = []
    for k, sequences in enumerate(np.array_split(filled, n)):
        first, last = corpus.bounds[sequences[0]], corpus.bounds[sequences[-1] + 1]
        own = np.full_like(codes, -1)
        own[first:last] = codes[first:last]
        name = f"part {k + 1} of {n}"
        tasks.append(
            AuxiliaryTask(name, corpus, own, tuple(labels), learned_from=label, is_part=True)
        )
    return tasks


@overload
def labelled(corpus: Corpus, label: str, *, name: str | None = None) -> AuxiliaryTask: ...
@overload
def labelled(corpus: Shards, label: str, *, name: str | None = None) -> ShardTask: ...
def labelled(
    corpus: Corpus | Shards, label: str, *, name: str | None = None
) -> AuxiliaryTask | ShardTask:
    """Another labelled corpus, in memory or on disk. Its labels may be others than those of the
    target: tasks share features alone.

    >>> labelled(Corpus.from_lists({"word": [["a", "b"]], "tag": [["X", "Y"]]}), "tag").labels
    ('X', 'Y')
    """
    if isinstance(corpus, Shards):
        return ShardTask(name or label, corpus, label)
    codes, labels = number_labels(corpus.column(label))
    return AuxiliaryTask(name or label, corpus, codes, tuple(labels), learned_from=label)


@overload
def masked(
    corpus: Corpus, column: str, *, offset: int = 0, most: int = MOST_VALUES
) -> AuxiliaryTask: ...
@overload
def masked(
    corpus: Shards, column: str, *, offset: int = 0, most: int = MOST_VALUES
) -> ShardTask: ...
def masked(
    corpus: Corpus | Shards, column: str, *, offset: int = 0, most: int = MOST_VALUES
) -> AuxiliaryTask | ShardTask:
    """Predict a column of unlabelled text, in memory or on disk, from what stands around it (Ando
    and Zhang 2005).

    The values to predict are those ``offset`` tokens away. Features that read any column there are
    hidden, though not those that look at a whole sequence, such as ``side``. The ``most`` frequent
    values are the labels, all others count against them.

    >>> corpus = Corpus.from_lists({"word": [["a", "cat", "a", "dog"]]})
    >>> task = masked(corpus, "word", offset=1, most=1)
    >>> task.labels, task.codes.tolist()
    (('a',), [1, 0, 1, -1])
    """
    check_whole("most", most)
    check_whole("offset", abs(offset), 0)
    name = f"masked {column}[{offset}]" if offset else f"masked {column}"
    if isinstance(corpus, Shards):
        return ShardTask(name, corpus, column, offset, most)
    codes, levels = number_labels(corpus.column(column))
    frequency = np.bincount(codes[codes >= 0], minlength=len(levels))
    chosen = np.argsort(-frequency, kind="stable")[:most]
    numbers = np.full(len(levels), len(chosen), np.int32)
    numbers[chosen] = np.arange(len(chosen))
    target = mask_values(corpus, codes, numbers, offset)
    labels = tuple(levels[k] for k in chosen)
    return AuxiliaryTask(name, corpus, target, labels, hidden=offset)
