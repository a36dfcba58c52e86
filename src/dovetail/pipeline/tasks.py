"""What a task learns, and errors that name it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dovetail.errors import DataError, DovetailError

if TYPE_CHECKING:
    from dovetail.corpus import Corpus


def label_of(name: str, corpus: Corpus, label: str | None = None) -> str:
    """The column that a task learns: the one said to be its label, that of its own name (of a name
    such as ``fields@base``, the part before the ``@``), or the last."""
    wanted = name.partition("@")[0] if label is None else label
    if wanted in corpus.names:
        return wanted
    if label is not None:
        raise DataError(f"its data has no column '{label}'; it has {', '.join(corpus.names)}")
    if len(corpus.names) < 2:
        raise DataError("its data has one column only: training needs labels too")
    return corpus.names[-1]


@contextmanager
def name_task_in_errors(task: str, where: object = "") -> Iterator[None]:
    """Add to an error which task it is about, and which file that task is from.

    >>> with name_task_in_errors("ner"):
    ...     raise DataError("its data has one column only")
    Traceback (most recent call last):
        ...
    dovetail.errors.DataError: task 'ner': its data has one column only
    """
    try:
        yield
    except DovetailError as error:
        raise type(error)(f"{where}{', ' if where else ''}task '{task}': {error}") from None
