"""What kind of data a user gave, told without loading corpora: a process that tags lists of tokens
needs neither them nor NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dovetail.errors import DataError

TOKENS = "give a list of sequences, each a list of tokens"
LABELS = "give a list of labels for each sequence"


def is_corpus(data: Any) -> bool:
    """Whether this is a `Corpus`, by an attribute that no list of sequences has."""
    return hasattr(data, "document_bounds")


def is_dataset(data: Any) -> bool:
    """Whether this is a `Dataset`, likewise."""
    return hasattr(data, "n_sequences") and hasattr(data, "native")


def is_on_disk(data: Any) -> bool:
    """Whether these are the `Shards` of a corpus, likewise."""
    return hasattr(data, "work_folder")


def iterate(data: Any, wanted: str = TOKENS) -> Iterator[Any]:
    """Go through data, which has to be something that one can go through."""
    try:
        if isinstance(data, str | bytes | dict):
            raise TypeError
        return iter(data)
    except TypeError:
        raise DataError(wanted) from None


def list_sequences(data: Any, wanted: str = TOKENS) -> list[list[Any]]:
    """Data as lists of lists; a text is the list of its characters."""
    return [
        list(s) if isinstance(s, str) else list(iterate(s, wanted)) for s in iterate(data, wanted)
    ]
