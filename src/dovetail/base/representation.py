"""What all representations of words share: they read columns and write columns for templates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType

from dovetail.base.estimator import Estimator
from dovetail.corpus import Column, Corpus
from dovetail.features import Expression
from dovetail.features import column as expression_of


class Representation(Estimator):
    """Writes columns that say what words are like: classes, hidden states, vectors."""

    column: str
    name: str
    origin_: Mapping[str, str] = MappingProxyType({})  # of what others have made: where it is from

    @property
    def name_(self) -> str:
        """What it is called: as the column that it writes, or as its columns but for numbers."""
        return self.name

    @property
    def reads_(self) -> tuple[str, ...]:
        """Columns that it reads."""
        return (self.column,)

    @property
    def names_(self) -> tuple[str, ...]:
        """Columns that it writes."""
        return (self.name,)

    @property
    def expressions_(self) -> tuple[Expression, ...]:
        """What a tagger without a template of its own reads of these columns."""
        return tuple(map(expression_of, self.names_))

    @property
    def reads_corpus_(self) -> bool:
        """Whether its columns depend on more of a corpus than the sequence they belong to."""
        return False

    @property
    def chooses_value_(self) -> bool:
        """Whether what its columns count is left to the training of a tagger that reads them."""
        return bool(getattr(self, "value", None) == "auto")

    @property
    def biased_by_(self) -> tuple[str, ...]:
        """Columns of labels that its training has looked at."""
        return ()

    @property
    @abstractmethod
    def labels_(self) -> list[str]:
        """The levels of its columns."""

    @abstractmethod
    def columns(self, corpus: Corpus) -> dict[str, Column]:
        """Its columns for a corpus, by name."""

    def annotate(self, corpus: Corpus) -> Corpus:
        """The corpus with these columns added."""
        for name, column in self.columns(corpus).items():
            corpus = corpus.with_column(name, column)
        return corpus
