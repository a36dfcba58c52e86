"""Document context: what a first pass says of the same words elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.representation import Representation
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Column, Corpus, SoftColumn, detect_scheme
from dovetail.corpus.labels import find_spans, split_label
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError
from dovetail.features import column as expression_of
from dovetail.features.expressions import Expression
from dovetail.io.model_file import ModelFile, Source
from dovetail.numeric import matmul
from dovetail.representation.elsewhere import Opinions
from dovetail.representation.file import opened, to_bytes

UNITS = ("token", "entity", "superset")
PLACES = ("document", "corpus")


class Consistency(Representation):
    """What a first tagger says of the same words elsewhere, for a second one that reads it.

    A name that is hard to tell in one sentence is easy in another of the same document. A first
    tagger labels the whole corpus; for each token its opinions on other tokens are gathered, as
    shares of the types of entities (or of plain labels) in six columns (Krishnan and Manning 2006):
    of the same word (``token``), of entities that are the same string as the one which the token is
    taken to be part of (``entity``), and of longer ones that have it within (``superset``); each
    elsewhere in the ``document``, and in other documents of the ``corpus``.

    The text that is tagged is the corpus: columns depend on what is tagged together. Where it has
    no document boundaries, every sequence is a document.

    Parameters
    ----------
    tagger
        The first tagger, trained or not; by default one with default features and ``c2=0.1``.
    label
        The column that it learns.
    column, name
        The column of words, and how the names of the new columns begin: ``name_token_document``.
    soft
        Mean probabilities; otherwise only the type that most of the others have (majority).

    >>> corpus = Corpus.from_lists({"word": [["Ada", "Day", "spoke"], ["then", "Day", "left"]],
    ...                             "ner": [["B-PER", "I-PER", "O"], ["O", "B-PER", "O"]]})
    >>> context = Consistency(label="ner", soft=False).fit(corpus)
    >>> context.annotate(corpus).lists("context_superset_corpus")[1]
    [None, 'PER', None]
    """

    kind = "document context"
    fitted_by = "tagger_"

    tagger_: Tagger

    def __init__(
        self,
        tagger: Tagger | None = None,
        *,
        label: str = "label",
        column: str = "word",
        name: str = "context",
        soft: bool = True,
    ) -> None:
        self.tagger = tagger
        self.label = label
        self.column = column
        self.name = name
        self.soft = soft
        if tagger is not None and tagger.is_fitted:
            self.tagger_ = tagger

    @property
    def names_(self) -> tuple[str, ...]:
        name = self.name
        return tuple(f"{name}_{unit}_{place}" for unit in UNITS for place in PLACES)

    @property
    def reads_(self) -> tuple[str, ...]:
        tagger = self.tagger_ if self.is_fitted else self._first()
        return tuple(dict.fromkeys((self.column, *tagger.reads_)))

    @property
    def biased_by_(self) -> tuple[str, ...]:
        return (self.label,)

    @property
    def labels_(self) -> list[str]:
        return list(dict.fromkeys(self._type(label) for label in self.tagger_.labels_))

    @property
    def expressions_(self) -> tuple[Expression, ...]:
        """Each column around the token, and at it together with the word's shape."""
        shape = expression_of(self.column).short_shape
        columns = [expression_of(name) for name in self.names_]
        return (*(column.window(1) for column in columns), *(column & shape for column in columns))

    @property
    def reads_corpus_(self) -> bool:
        return True

    def fit(self, corpus: Corpus, *, callback: Callable[..., Any] | None = None) -> Consistency:
        """Train the first tagger on labelled text."""
        if not corpus.n_tokens:
            raise DataError("there are no tokens to learn document context from")
        corpus.column(self.column)
        self.tagger_ = self._first().fit(corpus, label=self.label, callback=callback)
        return self

    def annotate_cross_fitted(self, corpus: Corpus, *, folds: int = 5, seed: int = 0) -> Corpus:
        """The labelled training text, in which no token's columns have seen its label.

        Each part of the text is treated as a corpus of its own, by a tagger that was trained on the
        other parts.
        """
        if folds < 2:
            raise DataError(f"folds is {folds}; give a whole number of at least 2")
        parts = assign_folds(corpus, folds, seed)
        found: dict[str, list[Column]] = {name: [] for name in self.names_}
        rows = []
        for part in range(folds):
            inside = parts == part
            other = self.clone()
            other.fit(corpus.select(np.flatnonzero(~inside)))
            for name, column in other.columns(corpus.select(np.flatnonzero(inside))).items():
                found[name].append(column)
            rows.append(np.flatnonzero(np.repeat(inside, np.diff(corpus.bounds))))
        order = np.argsort(np.concatenate(rows), kind="stable")
        for name, columns in found.items():
            corpus = corpus.with_column(name, type(columns[0]).concatenate(columns)[order])
        return corpus

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        opinions = self._opinions(corpus)
        means = (opinions.of_tokens(), opinions.of_entities(), opinions.of_supersets())
        flat = [one for pair in means for one in pair]
        return {name: self._column(one) for name, one in zip(self.names_, flat, strict=True)}

    def _column(self, means: npt.NDArray[np.float64]) -> Column:
        if self.soft:
            return SoftColumn.of(self.labels_, means)
        best = np.where(means.any(axis=1), means.argmax(axis=1), -1)
        return Column(best.astype(np.int32), tuple(self.labels_))

    def _opinions(self, corpus: Corpus) -> Opinions:
        """What the first tagger says of a corpus: of tokens, and which entities there are."""
        tagger, types = self.tagger_, self.labels_
        table = np.zeros((len(tagger.labels_), len(types)))
        for number, label in enumerate(tagger.labels_):
            table[number, types.index(self._type(label))] = 1.0
        weights = matmul(tagger.marginals(corpus), table)
        starts = ends = np.zeros(0, np.int64)
        if self._has_spans:
            best = Column.from_values(y for labels in tagger.predict(corpus) for y in labels)
            spans = find_spans(best, corpus.bounds, {}, "conlleval")
            starts, ends = spans.starts.astype(np.int64), spans.ends.astype(np.int64)
        if not self.soft:
            weights = np.eye(len(types))[weights.argmax(axis=1)]
        sequences = np.repeat(np.arange(len(corpus)), np.diff(corpus.bounds))
        if corpus.document_bounds is not None:
            sequences = np.searchsorted(corpus.document_bounds, sequences, side="right")
        words = corpus.column(self.column).codes.astype(np.int64)
        return Opinions(words, sequences, weights, starts, ends)

    @property
    def _has_spans(self) -> bool:
        return detect_scheme([self.tagger_.labels_]) != "none"

    def _type(self, label: str) -> str:
        return (split_label(label)[1] or label) if self._has_spans else label

    def _first(self) -> Tagger:
        """The first tagger, not trained."""
        return Tagger(c2=0.1) if self.tagger is None else self.tagger.clone()

    def to_bytes(self) -> bytes:
        content = self.tagger_.to_bytes()
        padded = content + b" " * (-len(content) % 8)
        own = {name: getattr(self, name) for name in ("label", "column", "name", "soft")}
        facts = {"settings": own, "bytes": len(content)}
        return to_bytes(self.kind, {"tagger": np.frombuffer(padded, np.uint8)}, facts)

    @classmethod
    def load(cls, source: Source | ModelFile) -> Consistency:
        """Document context from a file that `save` wrote, or from bytes."""
        with opened(source, cls.kind) as file:
            content = file.raw("tagger")[: int(file.facts["bytes"])]
            return cls(Tagger.load(content), **file.facts["settings"])
