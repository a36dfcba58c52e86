"""Labels of all layers with their confidences."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.base.potentials import Scores
from dovetail.chain.tagging import SpanPrediction, span_events
from dovetail.chain.tagging_html import mark_words
from dovetail.corpus import Column, Corpus
from dovetail.corpus.labels import spans
from dovetail.corpus.schemes import detect_scheme
from dovetail.errors import DataError
from dovetail.grid import Grid
from dovetail.numeric import exp
from dovetail.pipeline.choices import Decode
from dovetail.pipeline.decode.decoder import Decoder, Knowns
from dovetail.pipeline.decode.joint import annotate_in_order
from dovetail.pipeline.decode.lattice import Mixture
from dovetail.pipeline.decode.single import best_codes
from dovetail.pipeline.decode.span_decision import label_scores
from dovetail.pipeline.layers.known import Codes
from dovetail.pipeline.layers.layer import Layer


class LayerTagging(NamedTuple):
    """One layer's labels for a sequence, the probability of each, and its spans with theirs."""

    labels: list[str]
    confidences: list[float]
    spans: list[SpanPrediction]


class PipelineTagging(NamedTuple):
    """One sequence with the labels of all layers.

    ``probability`` is that of all labels together. By joint decoding all numbers are those of the
    joint model, but for spans where it has too many states to be exact; else those of each layer
    given what it reads.
    """

    layers: dict[str, LayerTagging]
    probability: float

    def to_html(self, words: Sequence[str] | None = None) -> str:
        """The words with the spans, or labels, of each layer marked, a line for each; without
        words, their numbers."""
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left;line-height:2">{mark_words(layer, words)}</td></tr>'
            for name, layer in self.layers.items()
        )
        return f'<table title="probability {self.probability:.2f}"><tbody>{rows}</tbody></table>'

    def _repr_html_(self) -> str:
        return self.to_html()


class _Decoded(NamedTuple):
    """What was found for one layer of a batch: labels, their probabilities, and the grid that says
    how probable spans are."""

    codes: Codes
    marginals: Scores
    grid: Grid | Mixture
    place: int


def tag_corpus(
    decoder: Decoder, corpus: Corpus, decode: Decode, known: Knowns
) -> list[PipelineTagging]:
    """Tag all sequences of a corpus."""
    found, logs = _decode_layers(decoder, corpus, decode, known)
    probabilities = exp(np.minimum(logs, 0.0))
    out = []
    for s in range(len(corpus)):
        layers = {a.name: _layer_tagging(a, found[a.name], corpus, s) for a in decoder.layers}
        out.append(PipelineTagging(layers, float(probabilities[s])))
    return out


def find_marginals(
    decoder: Decoder, corpus: Corpus, decode: Decode, known: Knowns
) -> dict[str, Scores]:
    """Probabilities of all labels of each layer, [tokens x labels]."""
    found, _ = _decode_layers(decoder, corpus, decode, known)
    return {name: one.marginals for name, one in found.items()}


def _decode_layers(
    decoder: Decoder, corpus: Corpus, decode: Decode, known: Knowns
) -> tuple[dict[str, _Decoded], npt.NDArray[np.float64]]:
    """What is found for each layer, and the log-probability of all of it for each sequence."""
    threads = decoder.threads
    found: dict[str, _Decoded] = {}
    logs = np.zeros(len(corpus))
    grids = decoder.grids(corpus, decode, known)
    if grids is not None:
        for members, grid in grids:
            best = grid.best(**decoder.grid_settings)
            expected = grid.marginals(**decoder.grid_settings)
            logs += best.scores - expected.log_z
            answer = corpus
            for place, member in enumerate(members):
                layer = decoder.layers[member]
                answer = answer.with_column(layer.name, Column(best.labels[place], layer.labels))
            for place, member in enumerate(members):
                layer = decoder.layers[member]
                exact = grid.is_exact_affordable
                source = (grid, place) if exact else (layer.annotator.grid(answer), 0)
                found[layer.name] = _Decoded(best.labels[place], expected.labels[place], *source)
    elif decode == "lattice":
        for layer, mixture in decoder.mixtures(corpus, known):
            codes = mixture.best()
            logs += mixture.log_probabilities(codes)
            found[layer.name] = _Decoded(codes, mixture.marginals, mixture, 0)
    else:
        passed = decoder.column_to_pass(decode, known)
        filled = annotate_in_order(decoder.layers[:-1], corpus, passed)
        for layer in decoder.layers:
            grid = layer.annotator.grid(filled)
            given = known.get(layer.name)
            codes = best_codes(layer, grid, given, threads)
            if given is not None:
                grid = grid.clamp(0, given.codes)
            expected = grid.marginals("exact", threads=threads)
            logs += label_scores(grid, codes) - expected.log_z
            found[layer.name] = _Decoded(codes, expected.labels[0], grid, 0)
    return found, logs


def _layer_tagging(layer: Layer, found: _Decoded, corpus: Corpus, s: int) -> LayerTagging:
    first, last = corpus.bounds[s : s + 2].tolist()
    codes = found.codes[first:last]
    labels = [layer.labels[code] for code in codes]
    confidences = found.marginals[np.arange(first, last), codes]
    return LayerTagging(labels, confidences.tolist(), _spans(layer, found, s, labels))


def _spans(layer: Layer, found: _Decoded, s: int, labels: list[str]) -> list[SpanPrediction]:
    if detect_scheme([list(layer.labels)]) == "none":
        return []
    pieces = spans(labels)
    events = [
        (k, mask) for k, span in enumerate(pieces) for mask in span_events(layer.labels, span)
    ]
    if not events:
        return []
    owners = np.array([k for k, _ in events])
    places = [(pieces[k].start, pieces[k].end) for k in owners]
    logs = found.grid.span_log_probabilities(
        found.place, places, [mask for _, mask in events], sequence=s
    )
    shares = np.bincount(owners, exp(logs), len(pieces))
    return [SpanPrediction(*p, min(1.0, float(q))) for p, q in zip(pieces, shares, strict=True)]


def find_n_best(
    decoder: Decoder, corpus: Corpus, k: int
) -> list[list[tuple[dict[str, list[str]], float]]]:
    """The k best labellings of all layers together, with their probabilities."""
    if k < 1:
        raise DataError(f"k is {k}; give a whole number of at least 1")
    [(_, grid)] = decoder.joint_scores(corpus, {}).grids(together=True)
    log_z = grid.marginals("exact", threads=decoder.threads).log_z
    out: list[list[tuple[dict[str, list[str]], float]]] = []
    for s, (first, last) in enumerate(pairwise(corpus.bounds.tolist())):
        if first == last:
            out.append([({layer.name: [] for layer in decoder.layers}, 1.0)])
            continue
        ranked = []
        for codes, score in grid.best_k(k, sequence=s):
            labels = {
                layer.name: [layer.labels[y] for y in own]
                for layer, own in zip(decoder.layers, codes, strict=True)
            }
            ranked.append((labels, float(exp(min(score - log_z[s], 0.0)))))
        out.append(ranked)
    return out
