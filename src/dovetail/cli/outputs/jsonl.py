"""Tagged sequences as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TextIO

from dovetail.cli.outputs.results import LayeredResult, Result, SpanShown, best_spans
from dovetail.corpus import Corpus

KEYS = {"word": "tokens", "label": "gold", "labels": "gold"}  # of columns


def write_json(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """One object a line: the text, or the columns with "word" as "tokens"; then what is known.

    Spans are of characters, and have their text, if there is a text; else they are of tokens.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["Rome", "."]]})
    >>> write_json(corpus, [Result(["B-LOC", "O"])], sys.stdout)
    {"tokens": ["Rome", "."], "labels": ["B-LOC", "O"]}
    """
    for sequence, result in zip(corpus, results, strict=True):
        line: dict[str, Any] = {}
        text, offsets = sequence.text, sequence.offsets
        if text is not None and offsets is not None:
            line["text"] = text
        if "text" not in line or result.spans is None or result.marginals or result.nbest:
            line |= {KEYS.get(name, name): sequence[name] for name in sequence.names}
            line["labels"] = result.labels
        if result.spans is not None:
            line["spans"] = [_span_object(span, line.get("text"), offsets) for span in result.spans]
        if result.marginals is not None:
            line["marginals"] = [
                {label: _rounded(p) for label, p in token.items()} for token in result.marginals
            ]
        if result.nbest is not None:
            line["nbest"] = [
                {
                    "labels": labels,
                    **_alternative_spans(labels, result, line.get("text"), offsets),
                    "probability": _rounded(p),
                }
                for labels, p in result.nbest
            ]
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


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
            line["probability"] = _rounded(result.probability)
        if result.nbest is not None:
            line["nbest"] = [
                {
                    "layers": y,
                    **_layer_spans(y, result, line.get("text"), offsets),
                    "probability": _rounded(p),
                }
                for y, p in result.nbest
            ]
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _layer_object(layer: Result, text: str | None, offsets: Any, tokens: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"labels": layer.labels} if tokens else {}
    if layer.spans is not None:
        found["spans"] = [_span_object(span, text, offsets) for span in layer.spans]
    if layer.confidences is not None:
        found["confidences"] = [_rounded(p) for p in layer.confidences]
    return found


def _layer_spans(
    labels: dict[str, list[str]], result: LayeredResult, text: str | None, offsets: Any
) -> dict[str, Any]:
    """The spans of one of the K best labellings of all layers, of each layer that has any."""
    found = {
        name: _alternative_spans(labels[name], layer, text, offsets)["spans"]
        for name, layer in result.layers.items()
        if layer.spans is not None
    }
    return {"spans": found} if found else {}


def _alternative_spans(
    labels: Sequence[str], result: Result, text: str | None, offsets: Any
) -> dict[str, Any]:
    """The spans of one of the K best labellings, if spans are shown at all."""
    if result.spans is None:
        return {}
    return {"spans": [_span_object(span, text, offsets) for span in best_spans(labels)]}


def _span_object(span: SpanShown, text: str | None, offsets: Any) -> dict[str, Any]:
    """A span for JSON: of characters of a text, or of tokens."""
    start, end, label, probability = span
    share = {} if probability is None else {"probability": _rounded(probability)}
    if text is None:
        return {"start": start, "end": end, "label": label, **share}
    start, end = int(offsets[start][0]), int(offsets[end - 1][1])
    return {"start": start, "end": end, "label": label, "text": text[start:end], **share}


def _rounded(probability: float | None) -> float | None:
    """A probability as it is written: six digits."""
    return None if probability is None else round(probability, 6)
