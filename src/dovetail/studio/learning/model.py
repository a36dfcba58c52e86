"""A model of one layer at one moment: what it suggests, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.tagging import span_events
from dovetail.corpus import Corpus
from dovetail.corpus.labels import Span as LabelledSpan
from dovetail.corpus.labels import spans
from dovetail.grid import Grid
from dovetail.numeric import exp, log
from dovetail.pipeline.decode.joint import annotate_in_order
from dovetail.pipeline.decode.single import best_codes, soft_column
from dovetail.pipeline.decode.span_candidates import find_candidates
from dovetail.pipeline.decode.span_decision import choose_spans
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.layer import Layer
from dovetail.studio.annotation import Annotation, Document, Span, Suggestion
from dovetail.studio.learning.decided import clamp
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
        corpus = self.old.read(documents) if self.annotator else None
        return Readings(self.annotator, corpus, documents, self.old.threads)

    def suggest(self, documents: Sequence[Document]) -> list[tuple[Suggestion, ...]]:
        """What to suggest in each document, with exact probabilities."""
        found = self.read(documents)
        return [found.suggestions(k) for k in range(len(documents))]


class Readings:
    """What a model makes of documents: best labels, probabilities of tokens, spans and the whole.

    Without an annotator nothing is suggested, and everything is equally unsure. ``decided`` is what
    is known of each document already: all else is what is likely beside it.
    """

    def __init__(
        self,
        annotator: LayerAnnotator | None,
        corpus: Corpus | None,
        documents: Sequence[Document],
        threads: int | None,
        decided: Sequence[Annotation] = (),
    ) -> None:
        self._annotator = annotator
        self._corpus = corpus
        self._decided = decided
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

    def given(self, decided: Sequence[Annotation]) -> Readings:
        """The same where this is known of the documents."""
        own = Readings(self._annotator, self._corpus, self.documents, self._threads, decided)
        if self._annotator is not None:
            own._open_grid = self._open_grid
        return own

    @cached_property
    def _open_grid(self) -> Grid:
        """What the model alone says."""
        assert self._annotator is not None
        assert self._corpus is not None
        return self._annotator.grid(self._corpus)

    @cached_property
    def _grid(self) -> Grid:
        if not any(one.spans or one.rejected for one in self._decided):
            return self._open_grid
        return clamp(self._open_grid, self.labels, self.documents, self._decided)

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

    def best_spans(self, k: int) -> list[Span]:
        """The spans of the likeliest labels of a document."""
        if self._annotator is None:
            return []
        document, first = self.documents[k], int(self._tokens[k])
        labels = [self.labels[code] for code in self._codes[first : self._tokens[k + 1]]]
        return [
            Span(a + span.start, a + span.end, span.label)
            for a, b in document.sequences
            for span in spans(labels[a:b])
        ]

    def suggestions(self, k: int) -> tuple[Suggestion, ...]:
        """The spans of a document that are worth suggesting, each with the probability that the
        text has exactly it."""
        return self._suggestions[k]

    @cached_property
    def _suggestions(self) -> list[tuple[Suggestion, ...]]:
        """A right suggestion saves adding the span. A wrong one costs taking it away, but for where
        another span takes its place. So one pays that is likelier than that there is nothing."""
        if self._annotator is None:
            return [()] * len(self)
        found = find_candidates(self._grid, self.labels, threads=self._threads)
        spans_at = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
        nothing = np.array([found.outside[a:b].min() for a, b in spans_at], float)
        gains = found.probabilities - nothing
        for start, end in self._refused():
            gains[(found.starts < end) & (start < found.ends)] = -1.0
        names = [found.names[kind] for kind in found.types.tolist()]
        out: list[list[Suggestion]] = [[] for _ in self.documents]
        bounds = np.asarray(self._grid.bounds, np.int64)
        owners = np.searchsorted(self._tokens, found.starts, side="right") - 1
        for j in sorted(choose_spans(found, gains, bounds)):
            k = int(owners[j])
            first = int(self._tokens[k])
            place = int(found.starts[j]) - first, int(found.ends[j]) - first
            share = min(float(found.probabilities[j]), 1.0)
            out[k].append(Suggestion(*place, names[j], share))
        return [tuple(own) for own in out]

    def _refused(self) -> list[tuple[int, int]]:
        """Where spans were rejected, among the tokens of all documents; who did so adds what is
        right there, and is not shown the next that is wrong."""
        firsts = self._tokens.tolist()
        return [
            (first + span.start, first + span.end)
            for first, one in zip(firsts, self._decided, strict=False)
            for span in one.rejected
        ]

    def probability(self, k: int, start: int, end: int, label: str) -> float:
        """That a document has exactly this span, also where it is not suggested."""
        document = self.documents[k]
        number = document.sequence_of(start)
        first = document.bounds[number]
        span = LabelledSpan(start - first, end - first, label)
        return self._probabilities(int(self._sequences[k]) + number, [span])[0]

    def _probabilities(self, sequence: int, found: Sequence[LabelledSpan]) -> list[float]:
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
