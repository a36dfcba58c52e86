"""Joint training: all layers at once, as one factorial CRF.

The features are those that the layers' templates make, so that what comes out is taggers like any
others: features that read a lower layer's label at their own token tie the two chains there,
features that read it at the token before tie them across time. The objective is

    f(w) = sum over sequences of log Z - log Z(labellings that agree with what is known)
           + sum over layers of c2 |w|^2

and its gradient the difference of two expectations of the features, exact, or approximate where the
joint states are too many.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dovetail.chain.fitting import Fitting
from dovetail.chain.model import ChainModel
from dovetail.chain.steps import Progress
from dovetail.corpus import Corpus
from dovetail.errors import DataError, TrainingError
from dovetail.features import Dataset
from dovetail.features.latent import LatentTemplate
from dovetail.grid import Grid
from dovetail.pipeline.annotators import TaggerLayer
from dovetail.pipeline.decoding import JointScores, known_labels
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.potentials import Potentials
from dovetail.pipeline.training import Curriculum, Listener

if TYPE_CHECKING:
    from dovetail.grid import Marginals
    from dovetail.pipeline.pipeline import Pipeline

Weights = npt.NDArray[np.float64]
ROUNDS = 200


def fit_jointly(
    pipeline: Pipeline,
    corpora: Mapping[str, Corpus],
    columns: Mapping[str, str],
    callback: Listener | None,
) -> None:
    """Train all layers on one corpus that has labels for all of them, some of which may be
    missing."""
    first = corpora.get(pipeline.names[0])
    if first is None or any(corpora.get(name) is not first for name in pipeline.names):
        raise DataError("joint training needs one corpus with the labels of all tasks")
    corpus = first
    for name, column in columns.items():
        corpus = corpus.with_column(name, corpus.column(column))
    start = Curriculum(pipeline.layers, "gold", 2, None, 0, pipeline.threads, callback)
    for layer in pipeline.layers:  # each by itself, lower labels being known: a good start
        start.fit(layer, corpus, layer.name)
    objective = JointObjective(pipeline, corpus)
    limits = [part.tagger.settings["max_iterations"] for part in objective.parts]
    most = min([ROUNDS, *(limit for limit in limits if limit is not None)])
    outcome = minimise(objective, most, callback)
    objective.export(outcome)


@dataclass(frozen=True)
class Outcome:
    """Where a joint training ended, and why."""

    weights: Weights
    objective: float
    iterations: int
    seconds: float
    stopped: str


def minimise(objective: JointObjective, most: int, callback: Listener | None) -> Outcome:
    """L-BFGS by SciPy; Ctrl-C ends it with the best weights so far."""
    from scipy.optimize import minimize

    begun = time.monotonic()
    best = objective.start()
    lowest = np.inf
    evaluations: list[tuple[float, float]] = []

    def evaluate(w: Weights) -> tuple[float, Weights]:
        nonlocal best, lowest
        value, gradient = objective(w)
        evaluations.append((value, float(np.linalg.norm(gradient))))
        if value < lowest:
            best, lowest = w.copy(), value
        return value, gradient

    rounds = 0

    def after(_: Weights) -> None:
        nonlocal rounds
        rounds += 1
        if callback is not None:
            value, norm = evaluations[-1]
            seconds = time.monotonic() - begun
            callback(
                "all tasks",
                Progress(
                    iteration=rounds,
                    phase="joint",
                    objective=value,
                    gradient_norm=norm,
                    gap=None,
                    held_out=None,
                    n_active=objective.size,
                    seconds=seconds,
                ),
            )

    options = {"maxiter": most, "ftol": objective.tolerance * 1e-2, "maxcor": 10}
    stopped = "interrupted"
    with suppress(KeyboardInterrupt):
        found = minimize(
            evaluate, best, jac=True, method="L-BFGS-B", callback=after, options=options
        )
        stopped = (
            f"{most} iterations are done" if found.nit >= most else "nothing is gained any more"
        )
    return Outcome(best, lowest, rounds, time.monotonic() - begun, stopped)


class JointObjective:
    """The penalised log-likelihood of a grid, negative, as a function of all layers' weights."""

    def __init__(self, pipeline: Pipeline, corpus: Corpus) -> None:
        self.pipeline = pipeline
        self.corpus = corpus
        known = {layer.name: known_labels(layer, corpus) for layer in pipeline.layers}
        self._known = known
        self.parts = [
            JointLayer(layer, pipeline.layers[:k], corpus)
            for k, layer in enumerate(pipeline.layers)
        ]
        sizes = [part.size for part in self.parts]
        self._ends = np.cumsum([0, *sizes])
        self.size = int(self._ends[-1])
        self.tolerance = min(part.tolerance for part in self.parts)

    def start(self) -> Weights:
        """The weights that the layers have now."""
        return np.concatenate([part.start for part in self.parts])

    def __call__(self, w: Weights) -> tuple[float, Weights]:
        """Value and gradient."""
        each = self._each(w)
        made = [part.potentials(own) for part, own in zip(self.parts, each, strict=True)]
        free = self._marginals(made, clamped=False)
        held = self._marginals(made, clamped=True)
        value = float(np.sum(free[0]) - np.sum(held[0]))
        gradients = []
        for k, (part, own) in enumerate(zip(self.parts, each, strict=True)):
            value += part.c2 * float(own @ own)
            gradient = part.gradient(free[1][k]) - part.gradient(held[1][k]) + 2 * part.c2 * own
            gradients.append(gradient)
        return value, np.concatenate(gradients)

    def export(self, outcome: Outcome) -> None:
        """Give the layers the weights that were found."""
        facts = {
            "joint": True,
            "objective": outcome.objective,  # of all layers together
            "iterations": outcome.iterations,
            "kept_iteration": outcome.iterations,
            "seconds": outcome.seconds,
            "stopped": outcome.stopped,
            "gap": None,
        }
        for part, own in zip(self.parts, self._each(outcome.weights), strict=True):
            part.export(own, facts)

    def _each(self, w: Weights) -> list[Weights]:
        return [w[a:b] for a, b in zip(self._ends[:-1], self._ends[1:], strict=True)]

    def _marginals(
        self, made: list[Potentials], *, clamped: bool
    ) -> tuple[npt.NDArray[np.float64], list[Potentials]]:
        """log Z of all sequences, and expectations in the shape of the layers' potentials."""
        layers = self.pipeline.layers
        scores = JointScores(layers, made, self.corpus.bounds, self._known if clamped else {})
        log_z: Any = np.zeros(len(self.corpus))
        out: dict[int, Potentials] = {}
        for members, grid in scores.grids():
            found = self._expectations(grid)
            log_z = log_z + found.log_z
            for place, layer in enumerate(members):
                names = {k: layers[m].name for k, m in enumerate(members)}
                ties = {
                    tuple(names[k] for k in key[:-1]): value
                    for key, value in found.ties.items()
                    if key[-1] == place
                }
                lags = {
                    names[before]: value
                    for (before, after), value in found.lags.items()
                    if after == place
                }
                out[layer] = Potentials(
                    layers[layer].labels, found.labels[place], found.moves[place], ties, lags
                )
        return log_z, [out[k] for k in range(len(layers))]

    def _expectations(self, grid: Grid) -> Marginals:
        p = self.pipeline
        return grid.marginals(p.inference, epsilon=p.epsilon, threads=p.threads)


class JointLayer:
    """One layer's parameters, and its features over the training data for every label that a
    column below may have."""

    def __init__(self, layer: Layer, below: list[Layer], corpus: Corpus) -> None:
        import scipy.sparse

        assert isinstance(layer.annotator, TaggerLayer)
        self.tagger = layer.annotator.tagger
        self.labels = layer.labels
        template = self.tagger.settings["features"]
        dataset = Dataset.from_template(template, corpus, corpus.lists(layer.name))
        if tuple(dataset.labels) != layer.labels:
            raise TrainingError(f"the labels of '{layer.name}' changed while it was trained")
        self.fitting = Fitting(self.tagger.settings, dataset)
        self._check(layer)
        self.c2 = float(self.tagger.settings["c2"])
        self.tolerance = float(self.tagger.settings["tolerance"])
        self.feature, self.previous, self.label = self.fitting.problem.parameters()
        self.size = len(self.feature)
        self.scale = np.ones(self.size)
        if self.fitting.priors.size:
            own = self.feature >= 0
            self.scale[own] = self.fitting.priors[self.feature[own]]
        start = self.fitting._start(self.tagger.model_)
        self.start = np.zeros(self.size) if start is None else start

        # A model that knows every feature numbers them in the order of the data.
        arrays = {**self.fitting.problem.export(np.ones(self.size)), **self.fitting.limits}
        model = ChainModel.from_arrays(arrays, {"labels": list(self.labels), "training": {}})
        kept = np.unique(self.feature[self.feature >= 0])
        self.row = np.searchsorted(kept, np.maximum(self.feature, 0))
        self.n_rows = len(kept)

        def matrix(bounds: Any, ids: Any, values: Any) -> Any:
            shape = (len(bounds) - 1, self.n_rows)
            return scipy.sparse.csr_array(
                (values.astype(np.float64), ids.astype(np.int64), bounds.astype(np.int64)), shape
            )

        latent = {lower.name: lower.labels for lower in layer.reads(below)}
        split = LatentTemplate(template, latent)
        columns = template.of_corpus(corpus)
        self.sizes = {name: len(labels) for name, labels in latent.items()}
        self.known = matrix(*split.known.encode(model.native, columns).occurrences())
        self.ties = {
            names: matrix(*split.latent_features(rows, model.native, columns, names, 0))
            for names, rows in split.ties.items()
        }
        self.lags = {
            name: matrix(*split.latent_features(rows, model.native, columns, (name,), -1))
            for name, rows in split.lags.items()
        }
        filled = np.diff(corpus.bounds) > 0
        self.firsts = corpus.bounds[:-1][filled]
        self.lasts = corpus.bounds[1:][filled] - 1

    def _check(self, layer: Layer) -> None:
        settings = self.tagger.settings
        if (self.fitting.roles & 2).any():
            raise TrainingError(
                f"the task '{layer.name}' has features on transitions, which joint training "
                "does not know"
            )
        for name in ("c1", "label_weights"):
            if settings[name]:
                raise TrainingError(f"joint training knows no {name} (task '{layer.name}')")

    def potentials(self, w: Weights) -> Potentials:
        """Scores of the layer under these weights."""
        weights = np.zeros((self.n_rows, len(self.labels)))
        own = self.feature >= 0
        weights[self.row[own], self.label[own]] = (w * self.scale)[own]
        move = np.zeros((len(self.labels),) * 2)
        move[self.previous[~own], self.label[~own]] = w[~own]
        node = self.known @ weights
        ties = {names: self._shaped(x @ weights, names) for names, x in self.ties.items()}
        lags = {}
        for name, x in self.lags.items():
            found = self._shaped(x @ weights, (name,))
            node[self.firsts] += found[self.firsts, 0]
            found[self.firsts] = 0
            lags[name] = found
        legal, start, end = (self.fitting.limits[name] for name in ("legal", "start", "end"))
        if legal.size:
            move[legal.reshape(move.shape) == 0] = -np.inf
        if start.size:
            node[self.firsts[:, None], np.flatnonzero(start == 0)] = -np.inf
        if end.size:
            node[self.lasts[:, None], np.flatnonzero(end == 0)] = -np.inf
        return Potentials(self.labels, node, move, ties, lags)

    def _shaped(self, scores: Any, names: tuple[str, ...]) -> Any:
        return scores.reshape(-1, *(self.sizes[name] for name in names), len(self.labels))

    def gradient(self, expected: Potentials) -> Weights:
        """Expected features, by parameter."""
        n = len(self.labels)
        found = self.known.T @ expected.node
        for names, x in self.ties.items():
            found += x.T @ expected.ties[names].reshape(-1, n)
        for name, x in self.lags.items():
            lag = expected.lags[name].copy()
            lag[self.firsts] = 0
            lag[self.firsts, 0] = expected.node[self.firsts]
            found += x.T @ lag.reshape(-1, n)
        own = self.feature >= 0
        out = np.empty(self.size)
        out[own] = found[self.row[own], self.label[own]] * self.scale[own]
        out[~own] = expected.move[self.previous[~own], self.label[~own]]
        return out

    def export(self, w: Weights, training: Mapping[str, Any]) -> None:
        """The tagger takes over these weights, and the facts of the training."""
        arrays = {**self.fitting.problem.export(w), **self.fitting.limits}
        facts = dict(self.tagger.model_.facts)
        facts["training"] = {**facts["training"], **training}
        self.tagger.model_ = ChainModel.from_arrays(arrays, facts)
        self.tagger.stopped_ = training["stopped"]
