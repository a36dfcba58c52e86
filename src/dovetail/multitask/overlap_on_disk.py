"""Sequences of a target's text in labelled tasks over corpora on disk, as `overlap` has it for text
in memory. Sequences are told from one another by 64-bit checksums of their words and labels."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor, Here
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import sequence_keys
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError
from dovetail.multitask.auxiliary import AuxiliaryTask
from dovetail.multitask.overlap import SAME
from dovetail.multitask.tasks_on_disk import ShardTask

logger = logging.getLogger(__name__)

Sums = npt.NDArray[np.uint64]


class Known(NamedTuple):
    """Sequences of a target: checksums of their words, in rising order, and of their labels, 0
    where these say nothing."""

    words: Sums
    labels: Sums


class Part(NamedTuple):
    """Those of a part of its text, in their order; how often it has each label; and, by checksum,
    the label of sequences that have no other."""

    words: Sums
    labels: Sums
    frequency: dict[str | None, int]
    alone: dict[int, str | None]


class Overlap(NamedTuple):
    """Sequences of a part of a task that a target has too: their numbers, how many of them have
    labels there that say something, and how many have just the same ones here."""

    sequences: npt.NDArray[np.int64]
    telling: int
    same: int


def know(data: Corpus | Shards, label: str, executor: Executor) -> Known:
    """The sequences of a target's text. Those with the most frequent label alone say nothing."""
    if isinstance(data, Corpus):
        parts = [know_part(data, label)]
    else:
        numbers, given = range(len(data)), (str(data.folder), label)
        parts = list(executor.each("overlap", know_numbered, numbers, *given))
    frequency: dict[str | None, int] = {}
    alone: dict[int, str | None] = {}
    for part in parts:
        alone |= part.alone
        for one, count in part.frequency.items():
            frequency[one] = frequency.get(one, 0) + count
    most = max(frequency, key=lambda one: frequency[one], default=None)
    silent = [number for number, one in alone.items() if one in (most, None)]
    words, labels = (np.concatenate([part[k] for part in parts]) for k in range(2))
    labels[np.isin(labels, np.array(silent, np.uint64))] = 0
    order = np.argsort(words, kind="stable")
    return Known(words[order], labels[order])


def know_numbered(number: int, corpus: str, label: str) -> Part:
    return know_part(Shards(corpus)[number], label)


def know_part(part: Corpus, label: str) -> Part:
    lists = part.lists(label)
    labels = checksums(lists)
    frequency: dict[str | None, int] = {}
    for own in lists:
        for one in own:
            frequency[one] = frequency.get(one, 0) + 1
    alone = {
        number: own[0] if own else None
        for own, number in zip(lists, labels.tolist(), strict=True)
        if len(set(own)) < 2
    }
    return Part(checksums(sequence_keys(part)), labels, frequency, alone)


def checksums(lists: Iterable[Iterable[str | None]]) -> Sums:
    """A number for each sequence of values."""
    texts = ("\n".join("\r" if one is None else one for one in values) for values in lists)
    raw = (np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in texts)
    return np.array([_native.checksum(one) for one in raw], np.uint64)


def leave_out_overlap(
    tasks: Sequence[ShardTask],
    data: Corpus | Shards,
    label: str,
    seen: Collection[Any],
    executor: Executor,
) -> list[ShardTask]:
    """The tasks without sequences of the target's text and those of ``seen``, in tasks that have
    the target's labels there."""
    if all(task.learned_from is None for task in tasks):
        return [*tasks]
    given = (*know(data, label, executor), checksums(seen))
    return [
        task if task.learned_from is None else _without(task, given, executor) for task in tasks
    ]


def has_labels_on_disk(task: ShardTask, data: Corpus, label: str) -> bool:
    """Whether a task has labels of a text as the text itself has them."""
    if task.learned_from is None:
        return False
    here = Here(1)
    given = (*know(data, label, here), checksums([]))
    return has_same_labels(_compare(task, given, here))


def _compare(task: ShardTask, given: tuple[Sums, ...], executor: Executor) -> list[Overlap]:
    order = (str(task.shards.folder), task.column, *given)
    return list(executor.each("overlap", find_numbered, range(len(task.shards)), *order))


def _without(task: ShardTask, given: tuple[Sums, ...], executor: Executor) -> ShardTask:
    found = _compare(task, given, executor)
    if not has_same_labels(found):
        return task
    left = {part: one.sequences for part, one in enumerate(found)}
    _tell(task.name, sum(map(len, left.values())), task.shards.n_sequences)
    return task.without({part: one for part, one in left.items() if len(one)})


def hide_known(tasks: Sequence[AuxiliaryTask], known: Known) -> list[AuxiliaryTask]:
    """Tasks of text in memory without sequences of a target on disk, in tasks that have the
    target's labels there."""
    return [task if task.learned_from is None else _hide(task, known) for task in tasks]


def _hide(task: AuxiliaryTask, known: Known) -> AuxiliaryTask:
    corpus = task.corpus
    found = find_overlap(corpus, str(task.learned_from), *known, np.zeros(0, np.uint64))
    if not has_same_labels([found]):
        return task
    _tell(task.name, len(found.sequences), len(corpus))
    gone = np.isin(np.arange(len(corpus)), found.sequences)
    return replace(task, codes=np.where(np.repeat(gone, np.diff(corpus.bounds)), -1, task.codes))


def has_same_labels(found: Iterable[Overlap]) -> bool:
    """Whether labels of a target are those of a task too."""
    telling, same = (sum(counts) for counts in zip(*(one[1:] for one in found), strict=True))
    return telling > 0 and same >= SAME * telling


def _tell(task: str, n: int, of: int) -> None:
    if n == of:
        raise DataError(
            f"the auxiliary task '{task}' is the text to train on, with its labels: give other text"
        )
    logger.info(
        "the auxiliary task '%s' is learned without %d sequences of the text to train on", task, n
    )


def find_numbered(
    number: int, corpus: str, label: str, words: Sums, labels: Sums, others: Sums
) -> Overlap:
    """The sequences of a part that are known."""
    return find_overlap(Shards(corpus)[number], label, words, labels, others)


def find_overlap(part: Corpus, label: str, words: Sums, labels: Sums, others: Sums) -> Overlap:
    keys, own = checksums(sequence_keys(part)), checksums(part.lists(label))
    first = np.searchsorted(words, keys)
    there = np.flatnonzero(first < len(words))
    there = there[words[first[there]] == keys[there]]
    theirs = labels[first[there]]
    telling = theirs != 0
    return Overlap(
        np.union1d(there, np.flatnonzero(np.isin(keys, others))),
        int(telling.sum()),
        int((theirs == own[there])[telling].sum()),
    )
