"""How good scores of held-out text are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dovetail.corpus import Corpus
from dovetail.evaluate import evaluate
from dovetail.evaluate.judgement import Judgement, ratio
from dovetail.grid import Grid
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.potentials import Potentials


def judged(parts: Sequence[HeldOut], threads: int | None = None) -> Judgement:
    """The best labels under some scores against the true ones, where all of these are known."""
    gold: list[Any] = []
    found: list[Any] = []
    for part in parts:
        given = part.corpus.lists(part.label)
        decoded = _decoded(part.scores, part.corpus, threads)
        whole = [s for s, row in enumerate(given) if None not in row]
        gold += [given[s] for s in whole]
        found += [decoded[s] for s in whole]
    report = evaluate(gold, found)
    tp, fp, fn, correct, tokens = report.sequences.T.astype(float)
    spans = report.kind == "spans"
    share, of = (2 * tp, 2 * tp + fp + fn) if spans else (correct, tokens)
    return ratio(share, of)


def _decoded(scores: Potentials, corpus: Corpus, threads: int | None) -> list[list[str]]:
    grid = Grid([scores.node], [scores.move], bounds=corpus.bounds)
    codes = grid.best("exact", threads=threads).labels[0].tolist()
    return [[scores.labels[y] for y in codes[a:b]] for a, b in pairwise(corpus.bounds.tolist())]
