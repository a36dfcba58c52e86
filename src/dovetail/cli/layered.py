"""What a pipeline says of sequences, and how that is written: one answer for each layer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

from dovetail.cli.outputs import (
    KEYS,
    Result,
    added_columns,
    rounded,
    span_object,
    write_added,
    write_inline,
)
from dovetail.corpus import Corpus, detect_scheme
from dovetail.pipeline.choices import Decode

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

Labelling = tuple[dict[str, list[str]], float]


@dataclass(frozen=True)
class LayeredResult:
    """What each layer says of one sequence; ``nbest`` are labellings of all layers together."""

    layers: dict[str, Result]
    nbest: list[Labelling] | None = None
    probability: float | None = None


LayeredWriter = Callable[[Corpus, Sequence[LayeredResult], TextIO], None]


def write_layered_columns(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """The columns that were read, then those of each layer: its labels and, if known, confidences.

    Of the K best labellings each has a column for each layer, then its probability.
    """
    columns: list[list[list[str]]] = []
    for name in results[0].layers if results else ():
        if results[0].nbest is None:
            columns += added_columns([result.layers[name] for result in results])
    for rank in range(max((len(result.nbest or ()) for result in results), default=0)):
        columns += _ranked(results, rank)
    write_added(corpus, columns, file)


def _ranked(results: Sequence[LayeredResult], rank: int) -> list[list[list[str]]]:
    """The columns of one of the K best labellings; ``_`` and 0 where there are fewer."""
    names = list(results[0].layers)
    columns: list[list[list[str]]] = [[] for _ in (*names, "probability")]
    for result in results:
        nothing = {name: ["_"] * len(result.layers[name].labels) for name in names}
        ranked = result.nbest or []
        labels, share = ranked[rank] if rank < len(ranked) else (nothing, 0.0)
        for column, name in zip(columns, names, strict=False):
            column.append(labels[name])
        columns[-1].append([f"{share:.4f}"] * len(labels[names[0]]))
    return columns


def write_layered_json(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """One object a line: the text, or the columns with "word" as "tokens"; then "layers", with the
    labels, spans and confidences of each, as far as they are asked for.
    """
    for sequence, result in zip(corpus, results, strict=True):
        line: dict[str, Any] = {}
        layers = result.layers.values()
        text, offsets = sequence.text, sequence.offsets
        if text is not None and offsets is not None:
            line["text"] = text
        tokens = "text" not in line or any(layer.spans is None for layer in layers)
        tokens |= result.nbest is not None or result.probability is not None
        if tokens:
            line |= {KEYS.get(name, name): sequence[name] for name in sequence.names}
        line["layers"] = {
            name: _layer_object(layer, line.get("text"), offsets, tokens)
            for name, layer in result.layers.items()
        }
        if result.probability is not None:
            line["probability"] = rounded(result.probability)
        if result.nbest is not None:
            line["nbest"] = [{"layers": y, "probability": rounded(p)} for y, p in result.nbest]
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _layer_object(layer: Result, text: str | None, offsets: Any, tokens: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"labels": layer.labels} if tokens else {}
    if layer.spans is not None:
        found["spans"] = [span_object(span, text, offsets) for span in layer.spans]
    if layer.confidences is not None:
        found["confidences"] = [rounded(p) for p in layer.confidences]
    return found


def write_layered_inline(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """Text with the spans, or the labels, of the last layer."""
    shown = []
    for result in results:
        name = list(result.layers)[-1]
        own = result.layers[name]
        if result.nbest is not None:
            own = replace(own, nbest=[(labels[name], p) for labels, p in result.nbest])
        shown.append(own)
    write_inline(corpus, shown, file)


LAYERED_WRITERS: dict[str, LayeredWriter] = {
    "conll": write_layered_columns,
    "jsonl": write_layered_json,
    "text": write_layered_inline,
}


def layered_results(
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
                    name: Result(labels, spans=[] if with_spans[name] else None)
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
