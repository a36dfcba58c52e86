"""Documents as the text of models."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.corpus import Corpus
from dovetail.studio.annotation import Document
from dovetail.studio.tables import WORD, to_table

__all__ = ["WORD", "corpus_of"]


def corpus_of(documents: Sequence[Document], columns: Sequence[str] = (WORD,)) -> Corpus:
    """The sequences of documents with some columns; a value that a document lacks is missing."""
    return to_table(documents, columns=columns)
