"""One layer of a joint model: its parameters, and the features of the training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dovetail import _native
from dovetail.chain.model import ChainModel
from dovetail.chain.tagger import Tagger
from dovetail.chain.train.fitting import Fitting
from dovetail.chain.train.steps import Weights
from dovetail.chain.training_labels import prepare_labels
from dovetail.corpus import Corpus
from dovetail.errors import TrainingError
from dovetail.features import Dataset
from dovetail.features.latent import LatentTemplate
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.train.joint.features import (
    BlockFeatures,
    Bounds,
    FeatureWeights,
    LayerWeights,
    Occurrences,
)


class JointLayer:
    """The parameters of one layer: features and transitions."""

    def __init__(self, layer: Layer, below: Sequence[Layer], corpus: Corpus) -> None:
        assert isinstance(layer.annotator, TaggerLayer)
        self.tagger = layer.annotator.tagger
        self.labels = layer.labels
        settings = layer.annotator.settings
        self.template = settings["features"]
        self.latent = {lower.name: lower.labels for lower in layer.reads(below)}
        labels, _ = prepare_labels(corpus.lists(layer.name), settings["constraints"])
        dataset = Dataset.from_template(self.template, corpus, labels)
        if tuple(dataset.labels) != layer.labels:
            raise TrainingError("its labels changed while it was trained")
        self.fitting = Fitting(Tagger(**settings), dataset)
        self._check()
        self.c2 = self.fitting.c2
        self.tolerance = float(settings["tolerance"])
        feature, previous, label = self.fitting.problem.parameters()
        self.size = len(feature)
        self._is_transition = feature < 0
        self._transitions = previous[self._is_transition], label[self._is_transition]
        kept = np.unique(feature[~self._is_transition])
        numbers = np.where(self._is_transition, -1, np.searchsorted(kept, feature))
        n = len(self.labels)
        self._weights = FeatureWeights(np.where(previous < 0, numbers, -1), label, n)
        self._weights_on_transitions = FeatureWeights(
            np.where(previous < 0, -1, numbers), previous * n + label, n * n
        )
        self._scale = np.ones(self.size)
        if self.fitting.priors.size:
            self._scale[~self._is_transition] = self.fitting.priors[feature[~self._is_transition]]
        start = self.fitting._start(self.tagger.model_)
        self.start = np.zeros(self.size) if start is None else start

    def _check(self) -> None:
        for setting in ("c1", "label_weights"):
            if getattr(self.tagger, setting):
                raise TrainingError(f"joint training knows no {setting}")

    def zeros(self) -> LayerWeights:
        """Nothing yet."""
        n = len(self.labels)
        return LayerWeights(np.zeros(self.size), np.zeros((n, n)))

    def weights(self, w: Weights) -> LayerWeights:
        """The weights of a vector; transitions that are illegal have minus infinity."""
        weights = LayerWeights(w * self._scale, self.zeros().transitions)
        weights.transitions[self._transitions] = w[self._is_transition]
        legal = self.fitting.limits["legal"]
        if legal.size:
            weights.transitions[legal.reshape(weights.transitions.shape) == 0] = -np.inf
        return weights

    def vector(self, expected: LayerWeights) -> Weights:
        """What is expected, by parameter."""
        out: Weights = expected.parameters * self._scale
        out[self._is_transition] = expected.transitions[self._transitions]
        return out

    def blocks(self, corpus: Corpus, cuts: Sequence[int]) -> list[BlockFeatures]:
        """The features of the sequences from each cut to the next."""
        # A model that knows every feature numbers them in the order of the data.
        model = self._model(np.ones(self.size), dict(self.tagger.model_.facts))
        split = LatentTemplate(self.template, self.latent)
        columns = self.template.read_corpus(corpus)

        def encode(rows: _native.Template, names: tuple[str, ...], offset: int) -> Any:
            kernel = _native.latent_features
            return split.for_each_label(kernel, rows, model.native, columns, names, offset)

        known = split.known.encode(model.native, columns).occurrences()
        cotemporal = {names: encode(rows, names, 0) for names, rows in split.cotemporal.items()}
        lagged = {name: encode(rows, (name,), -1) for name, rows in split.lagged.items()}
        given = {names: encode(rows, names, 0) for names, rows in split.conditioned.items()}
        sizes = {name: len(labels) for name, labels in self.latent.items()}
        start, end = (np.flatnonzero(self.fitting.limits[name] == 0) for name in ("start", "end"))

        def block(bounds: Bounds) -> BlockFeatures:
            tokens = int(bounds[0]), int(bounds[-1])
            where, into = (self._weights, *tokens), (self._weights_on_transitions, *tokens)
            return BlockFeatures(
                self.labels,
                bounds - bounds[0],
                Occurrences.within(known, *where),
                {
                    names: Occurrences.within(each, *where, *(sizes[name] for name in names))
                    for names, each in cotemporal.items()
                },
                {
                    name: Occurrences.within(each, *where, sizes[name])
                    for name, each in lagged.items()
                },
                Occurrences.within(known, *into) if split.known_on_transitions else None,
                {
                    names: Occurrences.within(each, *into, *(sizes[name] for name in names))
                    for names, each in given.items()
                },
                start,
                end,
            )

        return [block(corpus.bounds[first : last + 1]) for first, last in pairwise(cuts)]

    def _model(self, w: Weights, facts: Mapping[str, Any]) -> ChainModel:
        arrays = {**self.fitting.problem.export(w), **self.fitting.limits}
        return ChainModel.from_arrays(arrays, facts)

    def export(self, w: Weights, training: Mapping[str, Any]) -> None:
        """The tagger takes over these weights, and the facts of the training."""
        facts = dict(self.tagger.model_.facts)
        facts["training"] = {**facts["training"], **training}
        self.tagger.model_ = self._model(w, facts)
        self.tagger.stopped_ = training["stopped"]
