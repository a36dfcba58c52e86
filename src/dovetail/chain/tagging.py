"""Labels with three numbers one can trust: of a token, of a span, of a whole sequence.

The token confidence is the marginal probability of the label shown. The span probability is exact:
the sum over all label sequences that have exactly this span. The sequence probability is that of
the whole label sequence. The best sequence (Viterbi) need not show each token's most probable
label: the two decoders answer different questions.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import ChainModel
from dovetail.corpus.labels import Span, spans

Decode = Literal["viterbi", "marginal"]


class SpanPrediction(NamedTuple):
    """A span of tokens, ``end`` exclusive, and the probability that the text has exactly it."""

    start: int
    end: int
    label: str
    probability: float


class Tagging(NamedTuple):
    """One tagged sequence.

    ``entropy`` (in nats) is that of the distribution over all label sequences: how unsure the model
    is.
    """

    labels: list[str]
    confidences: list[float]
    probability: float
    spans: list[SpanPrediction]
    entropy: float


def tag_batch(
    model: ChainModel,
    batch: _native.Batch,
    *,
    decode: Decode = "viterbi",
    allowed: npt.NDArray[np.uint8],
    threads: int,
) -> list[Tagging]:
    """Labels, confidences and span probabilities of every sequence in a batch."""
    limits = (model.constraints, allowed)
    marginals, log_z, entropy = model.native.posteriors(batch, *limits, threads)
    best = model.native.viterbi if decode == "viterbi" else model.native.max_marginal
    codes = best(batch, *limits, threads)[0]
    scores = model.native.path_scores(batch, codes, model.constraints)
    bounds = batch.bounds.astype(np.int64)
    out = []
    for s in range(batch.n_sequences):
        own = codes[bounds[s] : bounds[s + 1]]
        labels = [model.labels[code] for code in own]
        shown = marginals[np.arange(bounds[s], bounds[s + 1]), own]
        out.append(
            Tagging(
                labels,
                shown.tolist(),
                float(np.exp(scores[s] - log_z[s])),
                _spans(model, batch, s, labels, allowed),
                float(entropy[s]),
            )
        )
    return out


def _spans(
    model: ChainModel,
    batch: _native.Batch,
    s: int,
    labels: list[str],
    allowed: npt.NDArray[np.uint8],
) -> list[SpanPrediction]:
    scheme = model.facts["scheme"]
    found = [] if scheme == "none" else spans(labels)
    if not found:
        return []
    events = [event for span in found for event in _events(model.labels, span, scheme)]
    masks = np.concatenate([mask.ravel() for _, _, mask in events])
    starts = np.array([start for start, _, _ in events], np.int64)
    ends = np.array([end for _, end, _ in events], np.int64)
    logs = model.native.span_log_probabilities(
        batch, s, starts, ends, masks, model.constraints, allowed
    )
    shares = np.exp(logs).reshape(len(found), -1).sum(axis=1)
    return [
        SpanPrediction(*span, min(1.0, float(p))) for span, p in zip(found, shares, strict=True)
    ]


def _events(
    names: tuple[str, ...], span: Span, scheme: str
) -> list[tuple[int, int, npt.NDArray[np.uint8]]]:
    """The ways in which labels can spell exactly this span, as masks over labels.

    Each has a row for the token before the span, one for each of its tokens, and one for the token
    after it. In IOB a span begins with B, or with I where no label of its type stands before.
    """
    begin, inside = f"B-{span.label}", f"I-{span.label}"
    length = span.end - span.start

    def rows(
        before: set[str], first: set[str], rest: set[str], last: set[str], after: set[str]
    ) -> npt.NDArray[np.uint8]:
        steps = [before, first, *[rest] * (length - 2), *([last] if length > 1 else []), after]
        return np.array([[name in step for name in names] for step in steps], np.uint8)

    every = set(names)
    if scheme == "IOBES":
        one = {f"S-{span.label}", f"U-{span.label}"}
        last = {f"E-{span.label}", f"L-{span.label}"}
        first = one if length == 1 else {begin}
        return [(span.start, span.end, rows(every, first, {inside}, last, every))]
    after = every - {inside}
    by_b = rows(every, {begin}, {inside}, {inside}, after)
    by_i = rows(every - {begin, inside}, {inside}, {inside}, {inside}, after)
    return [(span.start, span.end, by_b), (span.start, span.end, by_i)]
