"""A tagger that decides on each token alone: a linear classifier for each label."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from time import monotonic
from typing import Any, Self

import numpy as np

from dovetail.base import Estimator
from dovetail.base.cluster import open_executor, refuse_cluster
from dovetail.cores import count_cores
from dovetail.corpus import Column, Corpus, Shards, SoftColumn
from dovetail.data import list_sequences
from dovetail.errors import DataError, DovetailError
from dovetail.features import Template
from dovetail.features.resolution import resolve_corpus_features
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.multitask.calibration import probabilities
from dovetail.multitask.linear_file import read_saved, to_bytes
from dovetail.multitask.matrix import (
    Classifiers,
    Codes,
    Doubles,
    Loss,
    Matrix,
    Objective,
    check_whole,
    number_labels,
)
from dovetail.multitask.shard_rows import CorpusRows, check_labels, resolve_target
from dovetail.multitask.shards import Solver
from dovetail.multitask.training import Training
from dovetail.multitask.weights import Weights


class LinearTagger(Estimator):
    """One classifier a label against all others, over the features of each token.

    It knows nothing of neighbouring labels, so it trains in seconds and makes other mistakes than a
    CRF: a second opinion, whose column a CRF can read (`feature_net`).

    Parameters
    ----------
    features
        A `Template`, or the name of a ready-made one; by default one that suits the columns.
    loss
        ``modified_huber`` (as in He et al. 2009), ``logistic`` or ``squared_hinge``.
    penalty
        On the sum of squares of a classifier's weights, beside the mean loss of its tokens.
    min_count
        Features seen less often are left out.
    tolerance
        Stop when the objective of a classifier can fall by no more than this share of it, or of
        0.001 where it is less; with shared directions that is an estimate.
    calibrate
        Find out how far scores can be trusted, on a fifth of the sequences held out; it takes
        about as long as the training itself. Without, there are no probabilities.
    threads
        Threads to use, by default all cores. Results do not depend on it.

    >>> corpus = Corpus.from_lists({"word": [["the", "cat"], ["a", "dog"]] * 3,
    ...                             "pos": [["DET", "NOUN"], ["DET", "NOUN"]] * 3})
    >>> LinearTagger().fit(corpus).predict([["the", "dog"]])
    [['DET', 'NOUN']]
    """

    kind = "linear tagger"
    fitted_by = "weights_"

    def __init__(
        self,
        *,
        features: Template | str | None = None,
        loss: Loss = "modified_huber",
        penalty: float = 1e-4,
        min_count: int = 1,
        tolerance: float = 1e-3,
        calibrate: bool = True,
        threads: int | None = None,
    ) -> None:
        self.features = features
        self.loss = loss
        self.penalty = penalty
        self.min_count = min_count
        self.tolerance = tolerance
        self.calibrate = calibrate
        self.threads = threads
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._objective.check()
        check_whole("min_count", self.min_count)

    # Training

    def fresh(self) -> Self:
        """A clone, for the training on a part of the same text."""
        return self.clone()

    def fit(self, data: Corpus | Shards, *, label: str | None = None, cluster: Any = None) -> Self:
        """Train on a corpus: its column ``label``, by default the last. Missing labels are left
        out.

        A corpus on disk is gone through part by part, here or by the workers of ``cluster``, a Dask
        client or what `dovetail.base.cluster.open_cluster` takes; the weights have the same bits.
        """
        if isinstance(data, Shards):
            return self._fit_shards(data, label, cluster)
        refuse_cluster(cluster)
        start = monotonic()
        label, template, codes, labels = self._given(data, label)
        matrix = Matrix(template)
        matrix.add(data)
        factor = None
        if self.calibrate:
            factor = self._training.held_out(matrix, data, codes, len(labels)).factor
        found, features = self._training.of(matrix, codes, len(labels))
        weights = Weights.of(matrix.native, features, np.ascontiguousarray(found.found.T))
        facts = training_facts(found, columns=list(data.names))
        self._become(weights, template, labels, label, factor, facts)
        self.seconds_ = monotonic() - start
        return self

    def _fit_shards(self, shards: Shards, label: str | None, cluster: Any) -> Self:
        start = monotonic()
        label, template = resolve_target(shards, label, self.features)
        with open_executor(cluster, self.threads) as executor, ExitStack() as closing:
            rows = CorpusRows(shards, label, template, self.min_count, executor, closing)
            check_labels(rows.labels, label)
            found = Solver(rows).train(self._objective, calibrate=self.calibrate)
        everything = np.arange(len(found.weights), dtype=np.uint32)
        facts = {
            "objective": found.objective,
            "iterations": [found.rounds],
            "columns": list(shards.names),
        }
        self._become(
            Weights.of(found.data, everything, found.weights),
            template,
            found.labels,
            label,
            found.factor,
            facts,
        )
        self.seconds_ = monotonic() - start
        return self

    def dry_run(self, data: Corpus, *, label: str | None = None) -> dict[str, Any]:
        """Sizes that a training on this data would have, without auxiliary tasks, and about what
        memory it would take."""
        _, template, codes, labels = self._given(data, label)
        matrix = Matrix(template)
        matrix.add(data)
        rows = matrix.rows(np.flatnonzero(codes >= 0), self.min_count)
        occurrences, n_weights = len(rows.matrix()[1]), rows.n_features * len(labels)
        n_numbers = 4 * occurrences + 2 * n_weights + self._threads * rows.n_columns
        return {
            "n_sequences": len(data),
            "n_tokens": data.n_tokens,
            "n_labels": len(labels),
            "n_features_kept": rows.n_features,
            "n_weights": n_weights,
            "memory_bytes": 4 * n_numbers,
        }

    @property
    def _objective(self) -> Objective:
        return Objective(self.loss, self.penalty, self.tolerance)

    @property
    def _threads(self) -> int:
        return self.threads or count_cores()

    def _given(self, data: Corpus, label: str | None) -> tuple[str, Template, Codes, list[str]]:
        """What is to be learned, and from what."""
        if not isinstance(data, Corpus):
            raise DataError("a linear tagger is trained on a corpus")
        label = label or data.names[-1]
        codes, labels = number_labels(data.column(label))
        if len(labels) < 2:
            there = f"only the label '{labels[0]}'" if labels else "no labels"
            raise DataError(f"the column '{label}' has {there}: classifiers need at least two")
        template = resolve_corpus_features(self.features, data, label)
        if not isinstance(template, Template):
            raise DataError("the features of a linear tagger are a template, or the name of a set")
        return label, template, codes, labels

    @property
    def _training(self) -> Training:
        return Training(self._objective, self.min_count, self._threads)

    def _become(
        self,
        weights: Weights,
        template: Template,
        labels: Sequence[str],
        label: str,
        factor: float | None,
        training: dict[str, Any],
    ) -> None:
        """What a trained one is."""
        self.weights_ = weights
        self.template_ = template
        self._labels = list(labels)
        self._label = label
        self.factor_ = factor
        self.training_ = training

    # Using it

    @property
    def labels_(self) -> list[str]:
        """The labels that it can give; none before training."""
        return list(self._labels) if self.is_fitted else []

    @property
    def label_column_(self) -> str:
        """The column that it was trained on."""
        self.check_fitted()
        return self._label

    @property
    def reads_(self) -> tuple[str, ...]:
        """Columns that it reads."""
        if self.is_fitted:
            return self.template_.columns
        return getattr(self.features, "columns", ())

    def scores(self, data: Any) -> Doubles:
        """What the classifiers say, [tokens x labels]: above 0 is for the label."""
        self.check_fitted()
        return self.weights_.scores(self.template_, data)

    def predict(self, data: Any) -> list[list[str]]:
        """The label of the highest score at every token of a corpus, or of lists of tokens."""
        data = _rereadable(data)
        best = self.scores(data).argmax(axis=1).tolist()
        labels = iter([self._labels[code] for code in best])
        return [[next(labels) for _ in sequence] for sequence in _sequences(data)]

    def predict_marginals(self, data: Any) -> list[list[dict[str, float]]]:
        """Probability of every label at every token."""
        data = _rereadable(data)
        rows = iter(self.marginals(data).tolist())
        return [
            [dict(zip(self._labels, next(rows), strict=True)) for _ in sequence]
            for sequence in _sequences(data)
        ]

    def marginals(self, data: Any) -> Doubles:
        """Probabilities of the labels, [tokens x labels]."""
        return self.probabilities_of(self.scores(data))

    def probabilities_of(self, scores: Doubles) -> Doubles:
        """Probabilities of the labels, given what the classifiers say, [tokens x labels]."""
        if self.factor_ is None:
            raise DovetailError(
                "this linear tagger has no probabilities: train it with calibrate=True"
            )
        return probabilities(scores, self.factor_)

    def column(self, corpus: Corpus, *, soft: bool = False) -> Column:
        """Its labels for a corpus, or with ``soft`` their probabilities."""
        if soft:
            return SoftColumn.of(self.labels_, self.marginals(corpus))
        best = self.scores(corpus).argmax(axis=1).astype(np.int32)
        return Column(best, tuple(self.labels_))

    def top_weights(self, n: int = 20, *, label: str) -> list[tuple[str, float]]:
        """The n features that speak most for a label."""
        if label not in self.labels_:
            raise DataError(f"there is no label '{label}'; there are {', '.join(self.labels_)}")
        values = self.weights_.values()[:, self._labels.index(label)]
        names = self.weights_.names()
        best = np.argsort(-values, kind="stable")[:n]
        return [(names[k], float(values[k])) for k in best]

    # Keeping it

    def to_bytes(self) -> bytes:
        self.check_fitted()
        return to_bytes(self)

    @classmethod
    def load(
        cls,
        source: Source | ModelFile,
        *,
        features: Template | None = None,
        threads: int | None = None,
        verify: bool | None = None,
    ) -> LinearTagger:
        """A saved linear tagger; ``features`` is needed where its template has functions of your
        own."""
        file = open_model(source, verify)
        file.check_kind(cls.kind)
        saved = read_saved(file, features)
        tagger = LinearTagger(threads=threads, **saved.parameters)
        tagger._become(*saved[1:])
        return tagger


def training_facts(found: Classifiers, **more: Any) -> dict[str, Any]:
    """What a file says of a training."""
    return {
        "objective": float(found.objectives.sum()),
        "iterations": [int(n) for n in found.iterations],
        **more,
    }


def _rereadable(data: Any) -> Any:
    return data if isinstance(data, Corpus) else list_sequences(data)


def _sequences(data: Any) -> Any:
    return (range(len(s)) for s in data) if isinstance(data, Corpus) else data
