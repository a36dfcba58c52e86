"""What tells the sequences of corpora apart."""

from __future__ import annotations

from dovetail.corpus.table import Corpus


def sequence_keys(corpus: Corpus) -> list[tuple[str | None, ...]]:
    """The values of the first column of each sequence, which holds the words."""
    return [tuple(words) for words in corpus.lists(corpus.names[0])]
