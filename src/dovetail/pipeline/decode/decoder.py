"""The columns of all layers over a corpus, by each way of decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Column, Corpus
from dovetail.grid import Grid
from dovetail.pipeline.choices import Decode
from dovetail.pipeline.decode.joint import JointScores, Pass, annotate_in_order
from dovetail.pipeline.decode.lattice import N_BEST, Lattice, Mixture
from dovetail.pipeline.decode.single import best_column, missing, soft_column
from dovetail.pipeline.layers.known import Known
from dovetail.pipeline.layers.layer import Layer

if TYPE_CHECKING:
    from dovetail.grid import Report

Knowns = Mapping[str, Known]  # labels that are known beforehand, by layer


@dataclass(frozen=True)
class Decoder:
    """Layers, and how they are decoded. Corpora have all columns that no layer writes."""

    layers: Sequence[Layer]
    lattice: int | None = None
    inference: str = "auto"
    epsilon: float = 1e-4
    threads: int | None = None

    @property
    def grid_settings(self) -> dict[str, Any]:
        """How a grid is decoded."""
        return {"method": self.inference, "epsilon": self.epsilon, "threads": self.threads}

    def annotate(self, corpus: Corpus, decode: Decode, known: Knowns) -> Corpus:
        """A corpus with the best labels of every layer."""
        grids = self.grids(corpus, decode, known)
        if grids is not None:
            for members, grid in grids:
                best = grid.best(**self.grid_settings)
                for member, codes in zip(members, best.labels, strict=True):
                    layer = self.layers[member]
                    corpus = corpus.with_column(layer.name, Column(codes, layer.labels))
            return corpus
        if decode == "lattice":
            for layer, mixture in self.mixtures(corpus, known):
                corpus = corpus.with_column(layer.name, Column(mixture.best(), layer.labels))
            return corpus
        passed = self.column_to_pass(decode, known)
        if DECODING_METHODS[decode].pass_on is _pass_best_labels:
            return annotate_in_order(self.layers, corpus, passed)
        filled = annotate_in_order(self.layers[:-1], corpus, passed)
        for layer in self.layers:
            column = best_column(layer, filled, known.get(layer.name), self.threads)
            corpus = corpus.with_column(layer.name, column)
        return corpus

    def mixtures(self, corpus: Corpus, known: Knowns) -> list[tuple[Layer, Mixture]]:
        """Each layer given the likeliest labellings of those below it."""
        lattice = Lattice.start(corpus)
        out = []
        for k, layer in enumerate(self.layers):
            own = known.get(layer.name)
            out.append((layer, Mixture.of(layer, lattice, own, self.threads)))
            if k + 1 < len(self.layers):
                lattice = lattice.extend(layer, self.lattice or N_BEST, own, self.threads)
        return out

    def column_to_pass(self, decode: Decode, known: Knowns) -> Pass:
        """What a layer passes on to those that read it."""
        pass_on = DECODING_METHODS[decode].pass_on
        return lambda layer, corpus: pass_on(self, layer, corpus, known.get(layer.name))

    def grids(
        self, corpus: Corpus, decode: Decode, known: Knowns
    ) -> Sequence[tuple[list[int], Grid]] | None:
        """Grids of several layers at once, with the numbers of these layers; None where layers are
        decoded one after another."""
        make_grids = DECODING_METHODS[decode].make_grids
        return None if make_grids is None else make_grids(self, corpus, known)

    def joint_scores(self, corpus: Corpus, known: Knowns) -> JointScores:
        """Scores of all layers; what joint decoding cannot follow is guessed by the cascade."""
        return JointScores.of(self.layers, corpus, known, self.column_to_pass("cascade", known))

    def reports(self, corpus: Corpus) -> list[Report]:
        """How joint decoding is computed, for each set of layers that hang together."""
        grids = self.joint_scores(corpus, {}).grids()
        return [grid.best(**self.grid_settings, check=True).report for _, grid in grids]


@dataclass(frozen=True)
class DecodingMethod:
    """A way to decode the layers of a pipeline; ``lattice`` has a way of its own, `mixtures`.

    ``pass_on`` makes the column that a layer passes on to those which read it, each layer being
    decoded given these. ``make_grids`` is for layers that are decoded together: grids of several
    layers, with their numbers, from which come best labels and confidences alike.
    """

    pass_on: Callable[[Decoder, Layer, Corpus, Known | None], Column]
    make_grids: Callable[[Decoder, Corpus, Knowns], Sequence[tuple[list[int], Grid]]] | None = None


def _pass_nothing(_: Decoder, __: Layer, corpus: Corpus, ___: Known | None) -> Column:
    return missing(corpus)


def _pass_best_labels(
    decoder: Decoder, layer: Layer, corpus: Corpus, known: Known | None
) -> Column:
    return best_column(layer, corpus, known, decoder.threads)


def _pass_probabilities(
    decoder: Decoder, layer: Layer, corpus: Corpus, known: Known | None
) -> Column:
    if known is not None and known.is_complete:
        return best_column(layer, corpus, known, decoder.threads)
    return soft_column(layer, corpus, decoder.lattice, decoder.threads, known)


def _make_joint_grids(
    decoder: Decoder, corpus: Corpus, known: Knowns
) -> Sequence[tuple[list[int], Grid]]:
    return decoder.joint_scores(corpus, known).grids()


DECODING_METHODS: dict[Decode, DecodingMethod] = {
    "none": DecodingMethod(_pass_nothing),
    "cascade": DecodingMethod(_pass_best_labels),
    "soft": DecodingMethod(_pass_probabilities),
    "lattice": DecodingMethod(_pass_best_labels),
    "joint": DecodingMethod(_pass_probabilities, _make_joint_grids),
    "auto": DecodingMethod(_pass_probabilities),
}
