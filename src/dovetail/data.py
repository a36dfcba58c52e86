"""What kind of data a user gave, told without loading corpora: a process that tags lists of tokens
needs neither them nor NumPy."""

from __future__ import annotations

from typing import Any


def is_corpus(data: Any) -> bool:
    """Whether this is a `Corpus`, by an attribute that no list of sequences has."""
    return hasattr(data, "document_bounds")


def is_dataset(data: Any) -> bool:
    """Whether this is a `Dataset`, likewise."""
    return hasattr(data, "n_sequences") and hasattr(data, "native")


def is_on_disk(data: Any) -> bool:
    """Whether these are the `Shards` of a corpus, likewise."""
    return hasattr(data, "work_folder")
