"""Lower probabilities as a tagger of little text reads them best: by their logarithms.

Evidence adds up in logarithms, and a label that is unlikely but possible is told from one that is
out of the question. They are scaled so that 1 stays 1, and what is not above a floor becomes 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus, SoftColumn
from dovetail.numeric import log
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.tagger import TaggerLayer, load_tagger

if TYPE_CHECKING:
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter

FLOOR = 1e-3


def with_logarithms(corpus: Corpus, names: Sequence[str]) -> Corpus:
    """A corpus with the logarithms of some soft columns in their place.

    >>> corpus = Corpus.from_lists({"word": [["a", "b"]]})
    >>> corpus = corpus.with_column("x", SoftColumn.of(("A", "B"), [[1.0, 0.0], [0.9, 0.1]]))
    >>> with_logarithms(corpus, ["x"]).column("x").weights.round(2).tolist()
    [[1.0, 0.0], [0.9800000190734863, 0.6700000166893005]]
    """
    for name in names:
        column = corpus.column(name)
        if isinstance(column, SoftColumn):
            floored = np.maximum(column.weights.astype(np.float64), FLOOR)
            scaled = 1.0 - log(floored) / float(log(FLOOR))
            corpus = corpus.with_column(name, SoftColumn.of(column.levels, scaled))
    return corpus


class LogTaggerLayer(TaggerLayer):
    """A tagger that was trained on logarithms of some columns, as an annotator.

    Labels that are known or latent need no logarithm: they are as good as probabilities of 1.
    """

    def __init__(self, tagger: Tagger, columns: Sequence[str]) -> None:
        super().__init__(tagger)
        self.columns = tuple(columns)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """The tagger's scores of a corpus with probabilities in these columns."""
        return super().potentials(with_logarithms(corpus, self.columns), latent)

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "reads_logarithms": list(self.columns)}

    def spec(self, parts: PartsWriter) -> dict[str, Any]:
        return {**super().spec(parts), "logs": list(self.columns)}


def tagger_from_spec(spec: Mapping[str, Any], parts: PartsReader) -> LayerAnnotator:
    """A tagger, with or without columns that it reads by their logarithms."""
    tagger = load_tagger(spec, parts)
    columns = [str(column) for column in spec.get("logs", ())]
    return LogTaggerLayer(tagger, columns) if columns else TaggerLayer(tagger)
