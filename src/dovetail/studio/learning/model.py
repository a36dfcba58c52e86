"""A model of one layer at one moment: what it suggests, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.tagging import span_events
from dovetail.corpus import Corpus
from dovetail.corpus.labels import Span, spans
from dovetail.grid import Grid
from dovetail.numeric import exp, log
from dovetail.pipeline.decode.joint import annotate_in_order
from dovetail.pipeline.decode.single import best_codes, soft_column
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.layer import Layer
from dovetail.studio.annotation import Document, Suggestion
from dovetail.studio.learning.partial import OUTSIDE
from dovetail.studio.learning.text import WORD, corpus_of

Floats = npt.NDArray[np.float64]
LEAST = 1e-300  # so that the logarithm of a probability is finite


class Old(NamedTuple):
    """The layers below: taggers of other tasks that the model may read, and the columns that all of
    them read."""

    layers: tuple[Layer, ...] = ()
    columns: tuple[str, ...] = (WORD,)
    threads: int | None = None

    def read(self, documents: Sequence[Document]) -> Corpus:
        """Documents with the probabilities of the old taggers' labels."""
        corpus = corpus_of(documents, self.columns)
        return annotate_in_order(
            self.layers, corpus, lambda layer, text: soft_column(layer, text, None, self.threads)
        )


class Model:
    """An annotator that nobody changes any more, or none: then nothing is suggested."""

    def __init__(self, annotator: LayerAnnotator | None, old: Old) -> None:
        self.annotator = annotator
        self.old = old

    def read(self, documents: Sequence[Document]) -> Readings:
        """What the model makes of some documents."""
        return self.read_corpus(self.old.read(documents) if self.annotator else None, documents)

    def read_corpus(self, corpus: Corpus | None, documents: Sequence[Document]) -> Readings:
        """The same where what the old taggers say is known already."""
        return Readings(self.annotator, corpus, documents, self.old.threads)

    def suggest(self, documents: Sequence[Document]) -> list[tuple[Suggestion, ...]]:
        """The spans of each document, with exact probabilities."""
        found = self.read(documents)
        return [found.suggestions(k) for k in range(len(documents))]


class Readings:
    """What a model makes of documents: best labels, probabilities of tokens, spans and the whole.

    Without an annotator nothing is suggested, and everything is equally unsure.
    """

    def __init__(
        self,
        annotator: LayerAnnotator | None,
        corpus: Corpus | None,
        documents: Sequence[Document],
        threads: int | None,
    ) -> None:
        self._annotator = annotator
        self._corpus = corpus
        self._threads = threads
        self.documents = documents
        counts = [len(document.bounds) - 1 for document in documents]
        self._sequences = np.cumsum([0, *counts])
        sizes = [len(document.tokens) for document in documents]
        self._tokens = np.cumsum([0, *sizes])

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of tokens."""
        return tuple(self._annotator.labels_) if self._annotator else (OUTSIDE,)

    @cached_property
    def _grid(self) -> Grid:
        assert self._annotator is not None
        assert self._corpus is not None
        return self._annotator.grid(self._corpus)

    @cached_property
    def _expected(self) -> Any:
        return self._grid.marginals("exact", threads=self._threads)

    @cached_property
    def marginals(self) -> Floats:
        """The probability of each label at each token of all documents."""
        if self._annotator is None:
            return np.ones((int(self._tokens[-1]), 1))
        found: Floats = self._expected.labels[0]
        return found

    def of_document(self, k: int) -> Floats:
        """The same for one document."""
        return self.marginals[self._tokens[k] : self._tokens[k + 1]]

    @cached_property
    def log_probabilities(self) -> Floats:
        """That of the likeliest labels of each document."""
        if self._annotator is None:
            return np.zeros(len(self))
        best = self._grid.best("exact", threads=self._threads)
        each = np.minimum(best.scores - self._expected.log_z, 0.0)
        running = np.concatenate([[0.0], np.cumsum(each)])
        return np.diff(running[self._sequences])

    @cached_property
    def token_entropies(self) -> Floats:
        """How unsure each token of all documents is, in nats."""
        shares = self.marginals
        found: Floats = -(shares * log(np.maximum(shares, LEAST))).sum(axis=1)
        return found

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens of each document."""
        return np.diff(self._tokens)

    def total_entropies(self) -> Floats:
        """The sum of the entropies of its tokens, for each document."""
        running = np.concatenate([[0.0], np.cumsum(self.token_entropies)])
        return np.diff(running[self._tokens])

    def expected_wrong(self, k: int) -> float:
        """How many spans of a document would have to be put right, on average: those suggested that
        are wrong, and those missed. That many spans begin: the sum of the probabilities of all
        labels that begin one."""
        begins = np.array([label.startswith("B-") for label in self.labels])
        there = float(self.of_document(k)[:, begins].sum())
        found = [one.probability for one in self.suggestions(k)]
        return len(found) + there - 2 * sum(found)

    @cached_property
    def _codes(self) -> npt.NDArray[np.int64]:
        assert self._annotator is not None
        layer = Layer("task", self._annotator)
        return np.asarray(best_codes(layer, self._grid, None, self._threads), np.int64)

    def suggestions(self, k: int) -> tuple[Suggestion, ...]:
        """The spans of a document, each with the probability that the text has exactly it."""
        if self._annotator is None:
            return ()
        document, first = self.documents[k], int(self._tokens[k])
        labels = [self.labels[code] for code in self._codes[first : self._tokens[k + 1]]]
        out = []
        for number, (a, b) in enumerate(document.sequences):
            found = spans(labels[a:b])
            shares = self._probabilities(int(self._sequences[k]) + number, found)
            out += [
                Suggestion(a + span.start, a + span.end, span.label, p)
                for span, p in zip(found, shares, strict=True)
            ]
        return tuple(out)

    def probability(self, k: int, start: int, end: int, label: str) -> float:
        """That a document has exactly this span, also where it is not suggested."""
        document = self.documents[k]
        number = document.sequence_of(start)
        first = document.bounds[number]
        span = Span(start - first, end - first, label)
        return self._probabilities(int(self._sequences[k]) + number, [span])[0]

    def _probabilities(self, sequence: int, found: Sequence[Span]) -> list[float]:
        events = [
            (k, mask) for k, span in enumerate(found) for mask in span_events(self.labels, span)
        ]
        if not events:
            return [0.0] * len(found)
        owners = np.array([k for k, _ in events])
        places = [(found[k].start, found[k].end) for k in owners]
        masks = [mask for _, mask in events]
        logs = self._grid.span_log_probabilities(0, places, masks, sequence=sequence)
        shares = np.bincount(owners, exp(logs), len(found))
        return [min(float(share), 1.0) for share in shares]
