"""The function that joint training minimises.

    f(w) = sum over sequences of log Z - log Z(labellings that agree with what is known)
           + sum over layers of c2 |w|^2

Its gradient is the difference of two expectations of the features, exact, or approximate where the
joint states are too many. Where all labels are known the second expectation is their counts, which
are the same for all weights, and the second term is the product of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from dovetail.base.potentials import Potentials
from dovetail.chain.train.objective import Precision
from dovetail.chain.train.steps import Weights
from dovetail.cores import count_cores
from dovetail.corpus import Corpus
from dovetail.numeric import dot
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.decode.joint import JointScores
from dovetail.pipeline.layers.known import Known, known_labels
from dovetail.pipeline.tasks import name_task_in_errors
from dovetail.pipeline.train.joint.features import BlockFeatures, Bounds, Counts, LayerWeights
from dovetail.pipeline.train.joint.layer import JointLayer

BLOCK = 2_000  # tokens that a thread works on at a time


class Block(NamedTuple):
    """A few sequences: the features of each layer, and the labels that are known."""

    features: list[BlockFeatures]
    known: dict[str, Known]

    @property
    def bounds(self) -> Bounds:
        return self.features[0].bounds

    @property
    def is_complete(self) -> bool:
        """Whether all labels are known."""
        return all(known.is_complete for known in self.known.values())

    def potentials(self, weights: Sequence[LayerWeights]) -> list[Potentials]:
        """Scores of all layers under their weights."""
        return [own.potentials(each) for own, each in zip(self.features, weights, strict=True)]

    def expected(self, labels: Sequence[Potentials]) -> list[Counts]:
        """What is expected of the features of each layer, given what is of labels."""
        return [own.expected(each) for own, each in zip(self.features, labels, strict=True)]


class JointObjective:
    """The penalised log-likelihood of a grid, negative, as a function of all layers' weights."""

    precision: Precision = "double"

    def __init__(self, decoder: Decoder, corpus: Corpus) -> None:
        self.decoder = decoder
        layers = decoder.layers
        self.parts: list[JointLayer] = []
        for k, layer in enumerate(layers):
            with name_task_in_errors(layer.name):
                self.parts.append(JointLayer(layer, layers[:k], corpus))
        self._ends = np.cumsum([0, *(part.size for part in self.parts)])
        self.size = int(self._ends[-1])
        self.tolerance = min(part.tolerance for part in self.parts)
        self.c2 = min(part.c2 for part in self.parts)
        self.evaluations = 0
        self.blocks = self._blocks(corpus)
        self._counts = self._known_counts()

    def _blocks(self, corpus: Corpus) -> list[Block]:
        cuts = [0]
        for s, end in enumerate(corpus.bounds[1:], start=1):
            if end - corpus.bounds[cuts[-1]] >= BLOCK or s == len(corpus):
                cuts.append(s)
        known = {
            layer.name: known_labels(layer.name, layer.labels, corpus).codes
            for layer in self.decoder.layers
        }
        features = [part.blocks(corpus, cuts) for part in self.parts]
        starts = corpus.bounds[cuts]
        return [
            Block(list(each), {name: Known(codes[first:last]) for name, codes in known.items()})
            for *each, first, last in zip(*features, starts[:-1], starts[1:], strict=True)
        ]

    def start(self) -> Weights:
        """The weights that the layers have now."""
        return np.concatenate([part.start for part in self.parts])

    def __call__(self, w: Weights) -> tuple[float, Weights]:
        """Value and gradient."""
        self.evaluations += 1
        weights = self._weights(w)

        def visit(block: Block) -> tuple[float, list[Counts]]:
            scores = block.potentials(weights)
            log_z, labels = self._marginals(block, scores, {})
            if block.is_complete:
                return log_z, block.expected(labels)
            held, known = self._marginals(block, scores, block.known)
            rest = [a + b.scaled(-1) for a, b in zip(labels, known, strict=True)]
            return log_z - held, block.expected(rest)

        value, expected = self._sum(visit, self.blocks)
        value -= dot(w, self._counts)
        gradient = expected - self._counts
        for part, own, slope in zip(self.parts, self._each(w), self._each(gradient), strict=True):
            value += part.c2 * dot(own, own)
            slope += 2 * part.c2 * own
        return value, gradient

    def _sum(
        self, visit: Callable[[Block], tuple[float, list[Counts]]], blocks: Sequence[Block]
    ) -> tuple[float, Weights]:
        """What a visit finds in all blocks, added up in their order."""
        value = 0.0
        sums = [part.zeros() for part in self.parts]
        with ThreadPoolExecutor(self.decoder.threads or count_cores()) as pool:
            for own, found in pool.map(visit, blocks):
                value += own
                for total, counts in zip(sums, found, strict=True):
                    total.add(counts)
        each = zip(self.parts, sums, strict=True)
        return value, np.concatenate([part.vector(total) for part, total in each])

    def switch_to_double(self) -> None:
        """It always is."""

    @property
    def is_convex(self) -> bool:
        """Whether all labels are known and inference is exact."""
        how = self.decoder.inference
        if not all(block.is_complete for block in self.blocks) or how not in ("auto", "exact"):
            return False
        scores = self.blocks[0].potentials(self._weights(self.start()))
        grids = self._scores(self.blocks[0], scores, {}).grids()
        return how == "exact" or all(grid.is_exact_affordable for _, grid in grids)

    def export(self, w: Weights, facts: Mapping[str, Any]) -> None:
        """Give the layers the weights that were found."""
        for part, own in zip(self.parts, self._each(w), strict=True):
            part.export(own, facts)

    def _known_counts(self) -> Weights:
        """How often features and transitions occur where all labels are known."""
        weights = self._weights(self.start())

        def visit(block: Block) -> tuple[float, list[Counts]]:
            held, known = self._marginals(block, block.potentials(weights), block.known)
            return held, block.expected(known)

        return self._sum(visit, [block for block in self.blocks if block.is_complete])[1]

    def _each(self, w: Weights) -> list[Weights]:
        return [w[a:b] for a, b in zip(self._ends[:-1], self._ends[1:], strict=True)]

    def _weights(self, w: Weights) -> list[LayerWeights]:
        return [part.weights(own) for part, own in zip(self.parts, self._each(w), strict=True)]

    def _scores(
        self, block: Block, scores: list[Potentials], known: Mapping[str, Known]
    ) -> JointScores:
        return JointScores(self.decoder.layers, scores, block.bounds, known)

    def _marginals(
        self, block: Block, scores: list[Potentials], known: Mapping[str, Known]
    ) -> tuple[float, list[Potentials]]:
        """log Z of a block, and expectations in the shape of the layers' potentials."""
        settings = {**self.decoder.grid_settings, "threads": 1}
        layers = self.decoder.layers
        log_z = 0.0
        out: dict[int, Potentials] = {}
        for members, grid in self._scores(block, scores, known).grids():
            found = grid.marginals(**settings)
            log_z += float(np.sum(found.log_z))
            names = [layers[member].name for member in members]
            for place, member in enumerate(members):
                cotemporal = {
                    tuple(names[k] for k in key[:-1]): value
                    for key, value in found.cotemporal.items()
                    if key[-1] == place
                }
                lagged = {
                    names[before]: value
                    for (before, after), value in found.lagged.items()
                    if after == place
                }
                conditioned = {
                    tuple(names[k] for k in key[:-1]): value
                    for key, value in found.conditioned.items()
                    if key[-1] == place
                }
                out[member] = Potentials(
                    layers[member].labels,
                    found.labels[place],
                    found.transitions[place],
                    cotemporal,
                    lagged,
                    conditioned,
                )
        return log_z, [out[k] for k in range(len(layers))]
