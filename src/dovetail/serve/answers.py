"""What models say, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from dovetail.chain.tagged_text import CutTexts, TextSpan
from dovetail.chain.tagger import Tagger
from dovetail.chain.tagging_html import LabelledSequence
from dovetail.corpus.labels import spans
from dovetail.errors import DataError
from dovetail.pipeline import Pipeline
from dovetail.serve.models import ServedModel
from dovetail.serve.requests import ExplainRequest, Options

DIGITS = 6
MOST_EXPLAINED = 2000  # tokens; each takes milliseconds
Marginals = list[dict[str, float]]


class Labelled(NamedTuple):
    """What all layers say of a sequence, as far as it was asked for."""

    layers: Mapping[str, LabelledSequence]
    probability: float
    marginals: Mapping[str, Marginals] | None
    nbest: list[tuple[Mapping[str, list[str]], float]] | None


def tag_items(
    model: ServedModel, items: Sequence[Any], are_texts: bool, options: Options
) -> list[dict[str, Any]]:
    """The answer for each text, or for each sequence of tokens."""
    writer = Writer(model)
    if not are_texts:
        found = label(model, items, options)
        pairs = zip(items, found, strict=True)
        return [{"tokens": item, **writer.sequence(one)} for item, one in pairs]
    cut = model.labeller.cut_texts(items, unit=cast(Any, options.unit))
    found = label(model, cut.data, options)
    answers = writer.texts(cut, found)
    if options.per_token or options.marginals or options.nbest is not None:
        for answer, own in zip(answers, _by_text(cut, writer, found), strict=True):
            answer["sequences"] = own
    return answers


def label(model: ServedModel, data: Any, options: Options) -> list[Labelled]:
    """What a model says of data; no more is computed than is asked for."""
    labeller, decode = model.labeller, cast(Any, options.decode)
    n_sequences = len(data)
    marginals: Sequence[Any] = [None] * n_sequences
    nbest: Sequence[Any] = marginals
    if isinstance(labeller, Tagger):
        [name] = model.layers
        taggings = labeller.tag(data, decode=decode or "viterbi")
        if options.marginals:
            marginals = [{name: one} for one in labeller.predict_marginals(data)]
        if options.nbest is not None:
            ranked = labeller.predict_nbest(data, options.nbest)
            nbest = [[({name: labels}, p) for labels, p in best] for best in ranked]
        found = zip(taggings, marginals, nbest, strict=True)
        return [Labelled({name: t}, t.probability, m, n) for t, m, n in found]
    layered = labeller.tag(data, decode=decode)
    if options.marginals:
        by_layer = labeller.predict_marginals(data, decode=decode)
        marginals = [{name: rows[s] for name, rows in by_layer.items()} for s in range(n_sequences)]
    if options.nbest is not None:
        nbest = labeller.predict_nbest(data, options.nbest)
    return [
        Labelled(t.layers, t.probability, m, n)
        for t, m, n in zip(layered, marginals, nbest, strict=True)
    ]


class Writer:
    """Writes what a model says; of a pipeline by layers, of a tagger without."""

    def __init__(self, model: ServedModel) -> None:
        self.layered = isinstance(model.labeller, Pipeline)
        self.by_spans = model.has_spans

    def texts(self, cut: CutTexts, found: Sequence[Labelled]) -> list[dict[str, Any]]:
        """Spans by characters of each text."""
        placed = {
            name: cut.place([one.layers[name] for one in found], by_spans=by_spans)
            for name, by_spans in self.by_spans.items()
        }
        return [
            {
                "text": text,
                **self._wrapped(
                    {name: {"spans": _text_spans(own[k])} for name, own in placed.items()}
                ),
            }
            for k, text in enumerate(cut.texts)
        ]

    def sequence(self, found: Labelled) -> dict[str, Any]:
        """Labels of each token, and spans by tokens."""
        layers = {name: self._layer(name, found) for name in found.layers}
        answer = {**self._wrapped(layers), "probability": round(found.probability, DIGITS)}
        if found.nbest is not None:
            answer["nbest"] = [
                {
                    **self._wrapped({name: self._guess(name, y) for name, y in labels.items()}),
                    "probability": round(p, DIGITS),
                }
                for labels, p in found.nbest
            ]
        return answer

    def _layer(self, name: str, found: Labelled) -> dict[str, Any]:
        layer = found.layers[name]
        answer: dict[str, Any] = {
            "labels": layer.labels,
            "confidences": [round(p, DIGITS) for p in layer.confidences],
        }
        if self.by_spans[name]:
            answer["spans"] = [
                {"start": a, "end": b, "label": y, "probability": round(p, DIGITS)}
                for a, b, y, p in layer.spans
            ]
        if found.marginals is not None:
            answer["marginals"] = [
                {y: round(p, DIGITS) for y, p in token.items()} for token in found.marginals[name]
            ]
        return answer

    def _guess(self, name: str, labels: list[str]) -> dict[str, Any]:
        if not self.by_spans[name]:
            return {"labels": labels}
        return {"labels": labels, "spans": [span._asdict() for span in spans(labels)]}

    def _wrapped(self, layers: dict[str, dict[str, Any]]) -> dict[str, Any]:
        if self.layered:
            return {"layers": layers}
        [only] = layers.values()
        return only


def _text_spans(found: Sequence[TextSpan]) -> list[dict[str, Any]]:
    return [
        {"start": a, "end": b, "text": text, "label": y, "probability": round(p, DIGITS)}
        for a, b, text, y, p in found
    ]


def _by_text(
    cut: CutTexts, writer: Writer, found: Sequence[Labelled]
) -> list[list[dict[str, Any]]]:
    """The sequences of each text, with the places of their tokens in it."""
    out: list[list[dict[str, Any]]] = [[] for _ in cut.texts]
    pieces = zip(cut.owners, cut.starts, cut.words, cut.offsets, found, strict=True)
    for owner, start, words, places, one in pieces:
        offsets = [[start + a, start + b] for a, b in places]
        out[owner].append({"tokens": words, "offsets": offsets, **writer.sequence(one)})
    return out


def explain(request: ExplainRequest) -> dict[str, Any]:
    """Why a model gave one sequence its labels."""
    model, labeller = request.model, request.model.labeller
    sequence = request.item
    if request.is_text:
        cut = labeller.cut_texts([request.item], unit=cast(Any, request.unit))
        if request.sequence >= len(cut.corpus):
            raise DataError(
                f"the text has {len(cut.corpus)} sequences; there is no number {request.sequence}, "
                "counted from 0"
            )
        sequence = cut.corpus[request.sequence]
    elif request.sequence:
        raise DataError("tokens are one sequence, number 0")
    if len(sequence) > MOST_EXPLAINED:
        raise DataError(
            f"the sequence has {len(sequence):,} tokens, and explanations take at most "
            f"{MOST_EXPLAINED:,}: send a part of it"
        )
    options: dict[str, Any] = {"top": request.top, "why_not": request.why_not}
    if isinstance(labeller, Tagger):
        found = labeller.explain(sequence, **options)
    else:
        found = labeller.explain_layer(request.layer, sequence, **options)
    if request.token is not None:
        if request.token >= len(found.tokens):
            raise DataError(
                f"the sequence has {len(found.tokens)} tokens; there is no number {request.token}, "
                "counted from 0"
            )
        found = found.only(request.token)
    return {
        "model": model.name,
        "version": model.version,
        "layer": request.layer,
        "first": found.first - 1,
        "tokens": found.to_dict(),
    }
