"""How good scores of held-out text are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dovetail.base.potentials import Scores
from dovetail.evaluate import evaluate
from dovetail.evaluate.ratio import RatioScore, ratio
from dovetail.pipeline.decode.span_candidates import SpanCandidates
from dovetail.pipeline.decode.span_decision import SpanDecision, label_scores
from dovetail.pipeline.train.auto.pool_fitting import codes_of
from dovetail.pipeline.train.held_out import HeldOut

LEAST = -100.0  # the logarithm of a probability, where true labels are unknown or forbidden


def evaluate_held_out(
    parts: Sequence[HeldOut],
    decision: SpanDecision | None = None,
    threads: int | None = None,
    candidates: Sequence[SpanCandidates] | None = None,
) -> RatioScore:
    """The labels that are decided on by some scores against the true ones, where all of these are
    known; without a decision, the likeliest. ``candidates`` are the spans of each part, where they
    have been found already."""
    gold: list[Any] = []
    found: list[Any] = []
    for k, part in enumerate(parts):
        given = part.corpus.lists(part.label)
        decoded = _decode(part, decision, threads, candidates[k] if candidates else None)
        whole = [s for s, row in enumerate(given) if None not in row]
        gold += [given[s] for s in whole]
        found += [decoded[s] for s in whole]
    report = evaluate(gold, found)
    tp, fp, fn, correct, tokens = report.sequences.T.astype(float)
    spans = report.kind == "spans"
    share, of = (2 * tp, 2 * tp + fp + fn) if spans else (correct, tokens)
    return ratio(share, of)


def log_likelihoods(parts: Sequence[HeldOut], threads: int | None = None) -> Scores:
    """The logarithm of the probability of each sequence's true labels, for comparison on the same
    text."""
    found = []
    for part in parts:
        codes = codes_of(part.corpus, part.label, part.scores.labels).astype(np.int32)
        log_z = part.grid.marginals("exact", threads=threads).log_z
        found.append(np.maximum(label_scores(part.grid, codes) - log_z, LEAST))
    return np.concatenate(found)


def _decode(
    part: HeldOut,
    decision: SpanDecision | None,
    threads: int | None,
    candidates: SpanCandidates | None,
) -> list[list[str]]:
    labels = part.scores.labels
    grid = part.grid
    codes = grid.best("exact", threads=threads).labels[0]
    if decision is not None:
        codes = decision.decode(grid, labels, codes, threads=threads, found=candidates)
    return [[labels[y] for y in codes[a:b]] for a, b in pairwise(part.corpus.bounds.tolist())]
