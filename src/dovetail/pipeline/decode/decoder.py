"""The columns of all layers over a corpus, by each way of decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Column, Corpus
from dovetail.pipeline.choices import Decode
from dovetail.pipeline.decode.joint import JointScores, Pass, annotate_in_order
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
        if decode == "joint":
            for members, grid in self.joint_scores(corpus, known).grids():
                best = grid.best(**self.grid_settings)
                for member, codes in zip(members, best.labels, strict=True):
                    layer = self.layers[member]
                    corpus = corpus.with_column(layer.name, Column(codes, layer.labels))
            return corpus
        passed = self.column_to_pass(decode, known)
        if decode == "cascade":
            return annotate_in_order(self.layers, corpus, passed)
        filled = annotate_in_order(self.layers[:-1], corpus, passed)
        for layer in self.layers:
            column = best_column(layer, filled, known.get(layer.name), self.threads)
            corpus = corpus.with_column(layer.name, column)
        return corpus

    def column_to_pass(self, decode: Decode, known: Knowns) -> Pass:
        """What a layer passes on to those that read it."""

        def column(layer: Layer, corpus: Corpus) -> Column:
            given = known.get(layer.name)
            if decode == "none":
                return missing(corpus)
            if decode == "cascade" or (given is not None and given.is_complete):
                return best_column(layer, corpus, given, self.threads)
            return soft_column(layer, corpus, self.lattice, self.threads, given)

        return column

    def joint_scores(self, corpus: Corpus, known: Knowns) -> JointScores:
        """Scores of all layers; what joint decoding cannot follow is guessed by the cascade."""
        return JointScores.of(self.layers, corpus, known, self.column_to_pass("cascade", known))

    def reports(self, corpus: Corpus) -> list[Report]:
        """How joint decoding is computed, for each set of layers that hang together."""
        grids = self.joint_scores(corpus, {}).grids()
        return [grid.best(**self.grid_settings, check=True).report for _, grid in grids]
