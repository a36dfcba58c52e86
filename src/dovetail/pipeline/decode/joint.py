"""All layers at once, as one factorial CRF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Column, Corpus
from dovetail.grid import Grid
from dovetail.pipeline.decode.single import missing
from dovetail.pipeline.layers.known import Known
from dovetail.pipeline.layers.layer import Layer

Pass = Callable[[Layer, Corpus], Column]


def annotate_in_order(layers: Sequence[Layer], corpus: Corpus, passed: Pass) -> Corpus:
    """Each layer in turn writes the column that those after it read."""
    for layer in layers:
        corpus = corpus.with_column(layer.name, passed(layer, corpus))
    return corpus


class JointScores:
    """The scores of all layers over a corpus, those of one depending on the labels of others."""

    def __init__(
        self,
        layers: Sequence[Layer],
        potentials: Sequence[Potentials],
        bounds: npt.NDArray[np.int64],
        known: Mapping[str, Known],
    ) -> None:
        self.layers = list(layers)
        self.potentials = list(potentials)
        self.bounds = bounds
        self.known = known

    @classmethod
    def of(
        cls, layers: Sequence[Layer], corpus: Corpus, known: Mapping[str, Known], guesses: Pass
    ) -> JointScores:
        """The scores of trained layers; ``guesses`` are what joint decoding cannot follow."""
        latents = [
            {lower.name: lower.labels for lower in layer.reads(layers[:k])}
            for k, layer in enumerate(layers)
        ]
        guessed = any(
            layer.annotator.reads_guesses(latent)
            for layer, latent in zip(layers, latents, strict=True)
        )
        nothing = missing(corpus)
        filled = annotate_in_order(layers, corpus, guesses if guessed else lambda *_: nothing)
        potentials = [
            layer.annotator.potentials(filled, latent).scaled(layer.weight)
            for layer, latent in zip(layers, latents, strict=True)
        ]
        return cls(layers, potentials, corpus.bounds, known)

    def grids(self, *, together: bool = False) -> list[tuple[list[int], Grid]]:
        """Grids with the numbers of their layers: one for each set of layers that hang together,
        or one for all."""
        groups = [list(range(len(self.layers)))] if together else self._components()
        return [(members, self._grid(members)) for members in groups]

    def _numbers(self) -> dict[str, int]:
        return {layer.name: k for k, layer in enumerate(self.layers)}

    def _components(self) -> list[list[int]]:
        numbers = self._numbers()
        group = list(range(len(self.layers)))
        for k, own in enumerate(self.potentials):
            linked = {name for names in (*own.cotemporal, *own.conditioned) for name in names}
            linked |= set(own.lagged)
            for name in linked:
                a, b = group[k], group[numbers[name]]
                group = [min(a, b) if g in (a, b) else g for g in group]
        return [[k for k, g in enumerate(group) if g == root] for root in sorted(set(group))]

    def _grid(self, members: list[int]) -> Grid:
        numbers = self._numbers()
        place = {layer: k for k, layer in enumerate(members)}
        cotemporal: dict[tuple[int, ...], Scores] = {}
        lagged: dict[tuple[int, int], Scores] = {}
        conditioned: dict[tuple[int, ...], Scores] = {}
        for layer in members:
            own = self.potentials[layer]
            for names, scores in own.cotemporal.items():
                cotemporal[(*(place[numbers[name]] for name in names), place[layer])] = scores
            for name, scores in own.lagged.items():
                lagged[place[numbers[name]], place[layer]] = scores
            for names, scores in own.conditioned.items():
                conditioned[(*(place[numbers[name]] for name in names), place[layer])] = scores
        grid = Grid(
            [self.potentials[layer].node for layer in members],
            [self.potentials[layer].transitions for layer in members],
            cotemporal,
            lagged,
            bounds=self.bounds,
            conditioned=conditioned,
        )
        for layer in members:
            known = self.known.get(self.layers[layer].name)
            if known is not None:
                grid = grid.clamp(place[layer], known.codes)
        return grid
