"""Auxiliary tasks that have labels of the very text that a target is trained or tested on.

Shared directions would have seen these labels, and what the target says of that text would look
better than it is. Text that is labelled for something else is no harm.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dovetail.corpus import Corpus
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.multitask.auxiliary import AuxiliaryTask

logger = logging.getLogger(__name__)

SAME = 0.5  # of the labels, but for the most frequent one


def remove_overlap(
    tasks: Sequence[AuxiliaryTask], data: Corpus, label: str, seen: Collection[Any]
) -> list[AuxiliaryTask]:
    """The tasks without sequences of the target's text and those of ``seen``, in tasks that have
    the target's labels there; parts of the target's own text stay, as their share is left out."""
    return [
        _hide_sequences(task, {*seen, *sequence_keys(data)})
        if has_labels_of(task, data, label)
        else task
        for task in tasks
    ]


def has_labels_of(task: AuxiliaryTask, data: Corpus, label: str) -> bool:
    """Whether a task has labels of a text as the text itself has them."""
    if task.is_part or task.learned_from is None:
        return False
    lists = data.lists(label)
    known: dict[str | None, int] = {}
    for labels in lists:
        for one in labels:
            known[one] = known.get(one, 0) + 1
    most = max(known, key=lambda one: known[one], default=None)
    same = n = 0
    for key, labels in zip(sequence_keys(data), lists, strict=True):
        first = task.firsts.get(key)
        if first is None:
            continue
        codes = task.codes[first : first + len(labels)].tolist()
        for code, one in zip(codes, labels, strict=True):
            if 0 <= code < len(task.labels) and one not in (None, most):
                n += 1
                same += task.labels[code] == one
    return n > 0 and same >= SAME * n


def _hide_sequences(task: AuxiliaryTask, keys: Collection[Any]) -> AuxiliaryTask:
    shared = np.array([key in keys for key in sequence_keys(task.corpus)])
    codes = np.where(np.repeat(shared, np.diff(task.corpus.bounds)), -1, task.codes)
    if len(np.unique(codes[codes >= 0])) < 2:
        raise DataError(
            f"the auxiliary task '{task.name}' is the text to train on, with its labels: give "
            "other text, or parts of that text by their number"
        )
    logger.info(
        "the auxiliary task '%s' is learned without %d sequences of the text to train on",
        task.name,
        int(shared.sum()),
    )
    return replace(task, codes=codes)
