"""A tagger that is trained again and again while its text changes a little.

Features are made once for each version of a document. A training begins with the weights of the
last one and takes few rounds: the next is never far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.chain.inference import mask_allowed
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.features import Dataset, Template
from dovetail.numeric import exp
from dovetail.pipeline.layers.log_tagger import LogTaggerLayer, with_logarithms
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.studio.learning.partial import Alternative

TOLERANCE = 1e-2  # nobody can tell suggestions of better optima apart
ROUNDS = 15  # of a training that begins with the weights of nearly the same text
MANY_ROUNDS = 60  # of others
NEARLY = 0.05  # of the sequences may be new in it
CROWDED = 2  # times as many versions as are in use: the others are thrown away


class Told(NamedTuple):
    """What is known of a document: its text, and of each of its sequences the alternatives."""

    corpus: Corpus
    known: Sequence[Sequence[Alternative]]


class RefitTagger:
    """A tagger with settings, and the versions of the documents that it is trained on.

    ``logs`` are columns that it reads by their logarithms.
    """

    def __init__(
        self, settings: Mapping[str, Any], logs: Sequence[str] = (), start: Tagger | None = None
    ) -> None:
        template = settings["features"]
        if not isinstance(template, Template):
            raise DataError("a tagger that is trained again and again needs a template")
        self.settings = {**settings, "tolerance": TOLERANCE, "constraints": "IOB2"}
        self.logs = tuple(logs)
        self.tagger = start
        self._data = Dataset(template)
        self._numbers: dict[int, range] = {}
        self._new = 0  # sequences since the last training

    def put(self, told: Mapping[int, Told], facts: Mapping[str, Any]) -> None:
        """Take documents in place of what was known of them."""
        for key in told:
            self._numbers.pop(key, None)
        entered = {key: one for key, one in told.items() if any(one.known)}
        if not entered:
            return
        texts: list[Corpus] = []
        labels: list[Alternative] = []
        weights: list[float] = []
        for key, one in entered.items():
            numbers = [s for s, rows in enumerate(one.known) for _ in rows]
            rows = [row for own in one.known for row in own]
            first = self._data.n_sequences + len(labels)
            self._numbers[key] = range(first, first + len(rows))
            text = with_logarithms(one.corpus, self.logs)
            text = text if numbers == list(range(len(text))) else text.select(numbers)
            texts.append(text)
            labels += rows
            weights += self._weights(text, one.known)
        whole = texts[0] if len(texts) == 1 else Corpus.concatenate(texts)
        self._data.facts = {"features": self.settings["features"].spec(), **facts}
        self._new += len(labels)
        even = all(weight == 1 for weight in weights)  # the fastest method takes no weights
        self._data.extend(whole, labels, weights=None if even else weights)

    def _weights(self, text: Corpus, known: Sequence[Sequence[Alternative]]) -> list[float]:
        """How probable each alternative of a sequence is, by the last model: a training with such
        weights is a step of expectation maximisation, and many of them lead to the likelihood of
        what is known."""
        even = [1 / len(rows) for rows in known for _ in rows]
        if self.tagger is None or all(weight == 1 for weight in even):
            return even
        try:
            logs = self._log_masses(self.tagger, text, [row for rows in known for row in rows])
        except DataError:  # labels that the last model does not have
            return even
        out: list[float] = []
        for rows in known:
            own = logs[len(out) : len(out) + len(rows)]
            if len(rows):
                shares = np.maximum(exp(own - own.max()), 1e-6)
                out += (shares / shares.sum()).tolist()
        return out

    def _log_masses(self, tagger: Tagger, text: Corpus, rows: Sequence[Alternative]) -> Any:
        names = tagger.labels_
        model, batch = tagger.model_, tagger.encode(text)
        sets = [[names if known is None else known for known in row] for row in rows]
        masks = mask_allowed(model, batch, sets)
        threads = tagger.threads or 1
        try:
            return np.asarray(model.native.posteriors(batch, model.constraints, masks, threads)[1])
        except ValueError as error:
            raise DataError(str(error)) from None

    def fit(self) -> Tagger:
        """Train on all documents."""
        numbers = [n for own in self._numbers.values() for n in own]
        if len(numbers) * CROWDED < self._data.n_sequences:
            self._data = self._data.select(numbers)
            place = 0
            for key, own in self._numbers.items():
                self._numbers[key] = range(place, place + len(own))
                place += len(own)
            numbers = list(range(place))
        is_near = self.tagger is not None and self._new <= max(NEARLY * len(numbers), 1)
        rounds = ROUNDS if is_near else MANY_ROUNDS
        fitted = Tagger(**{**self.settings, "max_iterations": rounds})
        self._new = 0
        self.tagger = fitted.fit(self._data.select(numbers), warm_start=self.tagger)
        return self.tagger

    def as_layer(self) -> TaggerLayer:
        """The last tagger as a layer of a pipeline."""
        assert self.tagger is not None
        return LogTaggerLayer(self.tagger, self.logs) if self.logs else TaggerLayer(self.tagger)
