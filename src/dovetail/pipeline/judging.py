"""How good scores of held-out text are, and whether one kind of them is clearly better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dovetail.corpus import Corpus
from dovetail.evaluate import evaluate
from dovetail.grid import Grid
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.potentials import Potentials, Scores

CLEARLY = 1.64  # standard errors: one chance in twenty


@dataclass(frozen=True)
class Judgement:
    """A score, F1 of spans or accuracy, and what each sequence adds to or takes from it."""

    score: float
    influence: Scores

    def is_clearly_better(self, other: Judgement) -> bool:
        """Whether the difference on the same sequences is more than chance.

        The standard error is that of the linearised difference of two ratios.
        """
        error = float(np.sqrt(np.sum((self.influence - other.influence) ** 2)))
        return self.score - other.score > CLEARLY * error


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
    total = max(float(of.sum()), 1.0)
    score = float(share.sum()) / total
    return Judgement(score, (share - score * of) / total)


def _decoded(scores: Potentials, corpus: Corpus, threads: int | None) -> list[list[str]]:
    grid = Grid([scores.node], [scores.move], bounds=corpus.bounds)
    codes = grid.best("exact", threads=threads).labels[0].tolist()
    return [[scores.labels[y] for y in codes[a:b]] for a, b in pairwise(corpus.bounds.tolist())]
