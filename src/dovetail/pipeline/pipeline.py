"""The pipeline: annotators in order, and how the columns between them are treated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError, DovetailError
from dovetail.grid.grid import METHODS
from dovetail.pipeline.annotators import Annotator, TaggerLayer
from dovetail.pipeline.decoding import (
    DECODINGS,
    Decode,
    JointScores,
    Known,
    best_column,
    in_order,
    known_labels,
    missing,
    soft_column,
)
from dovetail.pipeline.fitting import fit_layers
from dovetail.pipeline.inputs import corpus_of, parts_of
from dovetail.pipeline.layers import Layer, check_known_labels, layers_of
from dovetail.pipeline.training import Listener, Training

if TYPE_CHECKING:
    from dovetail.corpus import Column
    from dovetail.grid import Report
    from dovetail.pipeline.explain import PipelineExplanation
    from dovetail.pipeline.tagging import PipelineTagging


class Pipeline:
    """Taggers in order, each of which may read the columns that those before it write.

    A column between two of them is absent, observed, soft or latent, by ``decode``:

    ``none``     nothing passes; each tagger sees only what the data has.
    ``cascade``  each tagger's best labels are what the next one reads.
    ``soft``     each tagger's label probabilities are what the next one reads.
    ``joint``    nothing is fixed: all labels of a sequence are found together, as the best of one
                 factorial CRF whose score is the sum of all taggers' scores.
    ``auto``     as soft; in training, the last task gets a pool of two models, with transfer and
                 without, recalibrated by cross-validation (`dovetail.pipeline.auto`).

    The setting can be changed after training: the weights are the same.

    Parameters
    ----------
    layers
        Taggers by the names of the columns that they write, trained or not; or a list of trained
        ones, which write the columns that they were trained on. Also `Pool`, `Scores`, or anything
        that is an `Annotator`.
    weights
        Factors on the layers' scores in joint decoding, by default 1; `tune` finds good ones.
    lattice
        With ``soft``, pass on the distribution over so many best labellings instead of marginals.
    inference, epsilon
        How a joint model is decoded: ``auto``, ``exact``, ``sparse``, ``beam`` or ``loopy``, and
        the mass that sparse decoding may leave out; see `Grid`.

    Examples
    --------
    >>> from dovetail import Corpus, Tagger
    >>> news = Corpus.from_lists({"word": [["Ada", "spoke"], ["he", "saw", "Ada"]],
    ...                           "ner": [["PER", "O"], ["O", "O", "PER"]]})
    >>> talks = Corpus.from_lists({"word": [["by", "Ada"]], "fields": [["O", "SPEAKER"]]})
    >>> pipeline = Pipeline({"ner": Tagger(c2=0.1), "fields": Tagger(c2=0.1)}, decode="joint")
    >>> pipeline.fit({"ner": news, "fields": talks}).predict([["by", "Ada"]])["fields"]
    [['O', 'SPEAKER']]
    """

    def __init__(
        self,
        layers: Mapping[str, Tagger | Annotator] | Sequence[Tagger | Annotator],
        *,
        decode: Decode = "joint",
        weights: Mapping[str, float] | None = None,
        lattice: int | None = None,
        inference: str = "auto",
        epsilon: float = 1e-4,
        threads: int | None = None,
    ) -> None:
        self.layers = layers_of(layers, weights)
        self.decode = decode
        self.lattice = lattice
        self.inference = inference
        self.epsilon = epsilon
        self.threads = threads
        self.notes_: list[str] = []
        self._given: dict[str, Any] = {}  # taggers in whose place training put something else
        self._checked = False
        if inference not in METHODS:
            raise DataError(
                f"there is no inference '{inference}'; choose from {', '.join(METHODS)}"
            )
        if lattice is not None and lattice < 1:
            raise DataError(f"lattice is {lattice}; give a number of labellings of at least 1")

    @property
    def decode(self) -> Decode:
        """How the columns between the layers are treated."""
        return self._decode

    @decode.setter
    def decode(self, value: Decode) -> None:
        if value not in DECODINGS:
            raise DataError(f"there is no decoding '{value}'; choose from {', '.join(DECODINGS)}")
        self._decode = value

    @property
    def names(self) -> list[str]:
        """Names of the layers, from the first to the last."""
        return [layer.name for layer in self.layers]

    @property
    def weights(self) -> dict[str, float]:
        """Factors on the layers' scores in joint decoding."""
        return {layer.name: layer.weight for layer in self.layers}

    @weights.setter
    def weights(self, given: Mapping[str, float]) -> None:
        annotators = {layer.name: layer.annotator for layer in self.layers}
        self.layers = layers_of(annotators, {**self.weights, **given})

    def __getitem__(self, name: str) -> Any:
        """The tagger, or other annotator, of that name."""
        found = next((layer for layer in self.layers if layer.name == name), None)
        if found is None:
            raise DataError(f"there is no task '{name}'; there are {', '.join(self.names)}")
        annotator = found.annotator
        return annotator.tagger if isinstance(annotator, TaggerLayer) else annotator

    def __repr__(self) -> str:
        return f"<Pipeline: {' -> '.join(self.names)}, {self.decode}>"

    # Training

    def fit(
        self,
        data: Corpus | Mapping[str, Corpus],
        *,
        training: Training | None = None,
        labels: Mapping[str, str] | None = None,
        folds: int = 5,
        seed: int = 0,
        callback: Listener | None = None,
    ) -> Pipeline:
        """Train the layers one after another, each on a corpus of its own or all on one.

        A layer learns the column of its own name (of a name such as ``fields@base``, the part
        before the ``@``), the one that ``labels`` names for it, or else the last of its corpus.
        Layers without data must be trained already.

        What a layer reads of those below it in training: their best labels (``cascade``), their
        probabilities (``soft``), or the labels in its corpus where that has them (``gold``);
        ``auto`` is soft, and what it says above for the last layer. By default it is ``auto`` with
        that decoding and ``cascade`` with others. On
        text that a lower layer was trained on, its column is cross-fitted in ``folds`` parts;
        ``notes_`` says where. ``joint`` trains all layers at once, as one factorial CRF, on a
        corpus that has all labels. ``callback`` is called with a layer's name and a `Progress`.
        """
        self.layers = [
            replace(a, annotator=self._given.get(a.name, a.annotator)) for a in self.layers
        ]
        fit_layers(self, data, training, dict(labels or {}), folds, seed, callback)
        self.weights = self.weights  # what the layers read is known now: sort them again
        self._checked = False
        return self

    # Using it

    def predict(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> dict[str, list[list[str]]]:
        """Labels of every layer, for a corpus or for lists of tokens.

        ``known`` names layers whose labels the corpus has; what is missing there is found.
        """
        out: dict[str, list[list[str]]] = {name: [] for name in self.names}
        for part in self.annotate_parts(data, known=known, decode=decode):
            for name in out:
                out[name] += cast("list[list[str]]", part.lists(name))
        return out

    def annotate(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Corpus:
        """The corpus with a column of labels for every layer."""
        return Corpus.concatenate(self.annotate_parts(data, known=known, decode=decode))

    def annotate_parts(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Iterator[Corpus]:
        """The same in parts, as they are decoded."""
        how = self.decode if decode is None else _checked(decode)
        self._check()
        names = list(known)
        for part in parts_of(self.corpus_of(data), self.layers):
            given = {name: known_labels(self._layer(name), part) for name in names}
            yield self._annotated(part, how, given)

    def tag(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> list[PipelineTagging]:
        """Labels of every layer with their confidences: of tokens, of spans, of the whole."""
        from dovetail.pipeline.tagging import tagged

        how = self.decode if decode is None else _checked(decode)
        self._check()
        names = list(known)
        out: list[PipelineTagging] = []
        for part in parts_of(self.corpus_of(data), self.layers):
            given = {name: known_labels(self._layer(name), part) for name in names}
            out += tagged(self, part, how, given)
        return out

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[dict[str, list[str]], float]]]:
        """The k best joint labellings of each sequence, with their probabilities."""
        from dovetail.pipeline.tagging import n_best

        self._check()
        out = []
        for part in parts_of(self.corpus_of(data), self.layers):
            out += n_best(self, part, k)
        return out

    def reports(self, data: Any) -> list[Report]:
        """How joint decoding of this data is computed, and how far it is from exact decoding where
        that is affordable: a report for each set of layers that hang together."""
        self._check()
        settings: Any = {"epsilon": self.epsilon, "threads": self.threads, "check": True}
        grids = self.joint_scores(self.corpus_of(data)).grids()
        return [grid.best(self.inference, **settings).report for _, grid in grids]

    def explain(self, sequence: Any, *, top: int = 5) -> PipelineExplanation:
        """Where joint decoding decides otherwise than the cascade, and which features made it so.

        ``sequence`` is one of a corpus, or a list of tokens.
        """
        from dovetail.pipeline.explain import explain

        self._check()
        one = sequence.alone() if hasattr(sequence, "alone") else self.corpus_of([sequence])
        return explain(self, one, top)

    def tune(self, data: Any, **settings: Any) -> Pipeline:
        """Choose the weights of the layers by the scores on held-out text; see
        `dovetail.pipeline.tuning.tune`."""
        from dovetail.pipeline.tuning import tune

        self.weights = tune(self, data, **settings)
        return self

    def corpus_of(self, data: Any) -> Corpus:
        """Any data that a pipeline reads, as a corpus."""
        return corpus_of(data, self.layers)

    def joint_scores(self, corpus: Corpus, known: Mapping[str, Known] | None = None) -> JointScores:
        """Scores of all layers over a corpus, for joint decoding."""

        def guess(layer: Layer, filled: Corpus) -> Column:
            return best_column(layer, filled, (known or {}).get(layer.name), self.threads)

        return JointScores.of(self.layers, corpus, known or {}, guess)

    def _annotated(self, corpus: Corpus, decode: Decode, known: Mapping[str, Known]) -> Corpus:
        if decode == "joint":
            for members, grid in self.joint_scores(corpus, known).grids():
                found = grid.best(self.inference, epsilon=self.epsilon, threads=self.threads)
                for member, codes in zip(members, found.labels, strict=True):
                    layer = self.layers[member]
                    corpus = corpus.with_column(layer.name, _column_of(codes, layer.labels))
            return corpus
        passing = self.passing(decode, known)
        filled = in_order(self.layers, corpus, passing)
        if decode == "cascade":
            return filled
        for layer in self.layers:
            column = best_column(layer, filled, known.get(layer.name), self.threads)
            corpus = corpus.with_column(layer.name, column)
        return corpus

    def passing(self, decode: Decode, known: Mapping[str, Known]) -> Any:
        """What a layer passes on to those that read it."""

        def column(layer: Layer, corpus: Corpus) -> Column:
            given = known.get(layer.name)
            if decode == "none":
                return missing(corpus)
            if decode == "cascade" or (given is not None and given.whole):
                return best_column(layer, corpus, given, self.threads)
            return soft_column(layer, corpus, self.lattice, self.threads, given)

        return column

    def _layer(self, name: str) -> Layer:
        self[name]
        return next(layer for layer in self.layers if layer.name == name)

    def _check(self) -> None:
        """Once: all layers are trained and know what those below them may say."""
        if self._checked:
            return
        for k, layer in enumerate(self.layers):
            if isinstance(layer.annotator, TaggerLayer) and not layer.annotator.tagger._fitted:
                raise DovetailError(f"the task '{layer.name}' has not been trained: call fit")
            check_known_labels(layer, self.layers[:k])
        self._checked = True

    # Keeping it

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all layers into one file: whole, or not at all."""
        from dovetail.files import atomic_write

        with atomic_write(path) as file:
            file.write(self.to_bytes())

    def to_bytes(self) -> bytes:
        """The file in memory."""
        from dovetail.pipeline.saved import to_bytes

        return to_bytes(self)

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str] | bytes,
        *,
        layers: Mapping[str, Annotator] | None = None,
        threads: int | None = None,
        verify: bool | None = None,
    ) -> Pipeline:
        """Open a saved pipeline, from a path or from bytes.

        ``layers`` has those annotators of your own that no file can hold; ``verify`` is that of
        `dovetail.load`.
        """
        from dovetail.pipeline.saved import opened

        return opened(source, dict(layers or {}), threads, verify)

    def with_weights(self, **weights: float) -> Pipeline:
        """The same layers under other weights."""
        other = Pipeline.__new__(Pipeline)
        other.__dict__.update(self.__dict__)
        other.layers = [replace(a, weight=weights.get(a.name, a.weight)) for a in self.layers]
        return other


def _column_of(codes: Any, labels: tuple[str, ...]) -> Column:
    from dovetail.corpus import Column

    return Column(codes, labels)


def _checked(decode: Decode) -> Decode:
    if decode not in DECODINGS:
        raise DataError(f"there is no decoding '{decode}'; choose from {', '.join(DECODINGS)}")
    return decode
