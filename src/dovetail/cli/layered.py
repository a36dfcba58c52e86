"""What a pipeline says of sequences: one answer for each layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.cli.outputs.results import LayeredResult, Result, best_spans
from dovetail.corpus import Corpus, detect_scheme
from dovetail.pipeline.choices import Decode

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline


def tag_in_layers(
    pipeline: Pipeline,
    corpus: Corpus,
    *,
    decode: Decode | None,
    spans: bool,
    confidences: bool,
    nbest: int | None,
) -> list[LayeredResult]:
    """Tag a corpus; no more is computed than is asked for."""
    with_spans = {
        layer.name: spans and detect_scheme([list(layer.labels)]) != "none"
        for layer in pipeline.layers
    }
    if nbest is not None:
        return [
            LayeredResult(
                {
                    name: Result(labels, spans=best_spans(labels) if with_spans[name] else None)
                    for name, labels in best[0][0].items()
                },
                nbest=best,
            )
            for best in pipeline.predict_nbest(corpus, nbest)
        ]
    if not (confidences or any(with_spans.values())):
        found = pipeline.predict(corpus, decode=decode)
        return [
            LayeredResult({name: Result(found[name][s]) for name in pipeline.names})
            for s in range(len(corpus))
        ]
    return [
        LayeredResult(
            {
                name: Result(
                    layer.labels,
                    confidences=layer.confidences if confidences else None,
                    spans=layer.spans if with_spans[name] else None,
                )
                for name, layer in tagging.layers.items()
            },
            probability=tagging.probability if confidences else None,
        )
        for tagging in pipeline.tag(corpus, decode=decode)
    ]
