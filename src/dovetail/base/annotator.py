"""What all annotators share: they read columns, and have labels and scores for tokens.

A protocol and no base class: taggers of other packages can be layers of a pipeline too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from dovetail.base.potentials import Potentials
from dovetail.corpus import Corpus

Latent = Mapping[str, tuple[str, ...]]


@runtime_checkable
class Annotator(Protocol):
    """Reads columns of a corpus, and has labels of its own for the tokens."""

    @property
    def labels_(self) -> list[str]:
        """The labels that it can give."""

    @property
    def reads_(self) -> tuple[str, ...]:
        """Columns that it may read."""

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """Scores over the tokens of a corpus.

        ``latent`` are columns that are not known yet, with the labels that they may have: scores
        that depend on them are given for each of these. The corpus holds guesses at them.
        """
