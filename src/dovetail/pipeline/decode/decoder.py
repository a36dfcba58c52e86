"""The columns of all layers over a corpus, by each way of decoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Column, Corpus
from dovetail.pipeline.choices import Decode
from dovetail.pipeline.decode.inputs import parts_of
from dovetail.pipeline.decode.joint import JointScores
from dovetail.pipeline.decode.single import (
    Known,
    Pass,
    best_column,
    in_order,
    known_labels,
    missing,
    soft_column,
)
from dovetail.pipeline.layers.layer import Layer, layer_named
from dovetail.pipeline.representations import of_whole_corpora, represented

if TYPE_CHECKING:
    from dovetail.grid import Report
    from dovetail.pipeline.pipeline import Pipeline


def parts(
    pipeline: Pipeline, data: Any, known: Iterable[str] = ()
) -> Iterator[tuple[Corpus, dict[str, Known]]]:
    """Data in parts that are decoded at a time, represented, with labels of layers that are
    known."""
    pipeline.check()
    layers = [layer_named(name, pipeline.layers) for name in known]
    corpus = represented(pipeline.corpus_of(data), of_whole_corpora(pipeline.representations))
    for part in parts_of(corpus, pipeline.layers):
        given = {layer.name: known_labels(layer, part) for layer in layers}
        yield represented(part, pipeline.representations), given


def annotated(
    pipeline: Pipeline, corpus: Corpus, decode: Decode, known: Mapping[str, Known]
) -> Corpus:
    """A corpus with the best labels of every layer."""
    if decode == "joint":
        for members, grid in joint_scores(pipeline, corpus, known).grids():
            found = grid.best(
                pipeline.inference, epsilon=pipeline.epsilon, threads=pipeline.threads
            )
            for member, codes in zip(members, found.labels, strict=True):
                layer = pipeline.layers[member]
                corpus = corpus.with_column(layer.name, Column(codes, layer.labels))
        return corpus
    passed = passing(pipeline, decode, known)
    if decode == "cascade":
        return in_order(pipeline.layers, corpus, passed)
    filled = in_order(pipeline.layers[:-1], corpus, passed)
    for layer in pipeline.layers:
        column = best_column(layer, filled, known.get(layer.name), pipeline.threads)
        corpus = corpus.with_column(layer.name, column)
    return corpus


def passing(pipeline: Pipeline, decode: Decode, known: Mapping[str, Known]) -> Pass:
    """What a layer passes on to those that read it."""

    def column(layer: Layer, corpus: Corpus) -> Column:
        given = known.get(layer.name)
        if decode == "none":
            return missing(corpus)
        if decode == "cascade" or (given is not None and given.whole):
            return best_column(layer, corpus, given, pipeline.threads)
        return soft_column(layer, corpus, pipeline.lattice, pipeline.threads, given)

    return column


def joint_scores(pipeline: Pipeline, corpus: Corpus, known: Mapping[str, Known]) -> JointScores:
    """Scores of all layers; what joint decoding cannot follow is guessed by the cascade."""
    guess = passing(pipeline, "cascade", known)
    return JointScores.of(pipeline.layers, corpus, known, guess)


def reports(pipeline: Pipeline, corpus: Corpus) -> list[Report]:
    """How joint decoding is computed, for each set of layers that hang together."""
    how: Any = {"epsilon": pipeline.epsilon, "threads": pipeline.threads, "check": True}
    grids = joint_scores(pipeline, corpus, {}).grids()
    return [grid.best(pipeline.inference, **how).report for _, grid in grids]
