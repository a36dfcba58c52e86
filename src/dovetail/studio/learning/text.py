"""Documents as the text of models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.corpus import Corpus
from dovetail.studio.annotation import Document

WORD = "word"


def corpus_of(documents: Sequence[Document], columns: Sequence[str] = (WORD,)) -> Corpus:
    """The sequences of documents with some columns; a value that a document lacks is missing."""
    lists: dict[str, list[list[str | None]]] = {name: [] for name in columns}
    for document in documents:
        n = len(document.tokens)
        for name in columns:
            values: Sequence[str | None] = (
                document.tokens if name == WORD else document.columns.get(name, (None,) * n)
            )
            lists[name] += [list(values[a:b]) for a, b in document.sequences]
    corpus = Corpus.from_lists(lists)
    counts = [len(document.bounds) - 1 for document in documents]
    own = {name: corpus.column(name) for name in columns}
    return Corpus(own, corpus.bounds, document_bounds=np.cumsum([0, *counts]))
