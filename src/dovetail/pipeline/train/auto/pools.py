"""Transfer that can be trusted: what ``training="auto"`` trains for the last task of a pipeline.

There are five kinds of members, each cross-fitted on the training text:

alone         a tagger that sees nothing of the tasks below
reading       a tagger that reads the logarithms of their label probabilities, with a weak prior
mapped        each lower tagger as it is, its labels through a map that is learnt (`label_map`)
mapped spans  the same, span by span (`mapped_spans`)
pooled        a tagger that also learns from labelled text of a task below, where that is given and
              its types agree with the new ones (`old_text`)

As a rule the readers and the mapped ones are pooled, with weights and a recalibration that make the
cross-fitted labels most likely (`pool_fitting`). Other pools are taken where they do better in a
second cross-validation: all members, or mapped spans in place of tokens, by half a standard error;
the task alone, clearly, since on little text cross-validation is noisy; the mapped spans alone, at
all, since they have next to nothing to learn, unless the true labels are clearly less likely then,
but clearly where a tagger below learned from the same text. Ten texts may have too few spans to
tell anything: so the mapped spans have some credit where types agree, and of equals the likelier is
better. A pooled tagger joins the readers if that makes the labels likelier than the best of the
others does, and scores are no worse: likelihood tells more of little text than scores do, but these
see more clearly where types are named wrongly.

Spans are chosen with F1 in view (`span_decision`); their probabilities are those of the pool.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dovetail.base.potentials import Scores
from dovetail.corpus import detect_scheme
from dovetail.evaluate.ratio import SIGNIFICANT, RatioScore
from dovetail.pipeline.decode.span_candidates import (
    LEAST,
    find_candidates,
    labels_of_types,
)
from dovetail.pipeline.decode.span_decision import SpanDecision
from dovetail.pipeline.layers.log_tagger import FLOOR
from dovetail.pipeline.layers.pool import Pool
from dovetail.pipeline.layers.recalibrated import Correction, Recalibrated
from dovetail.pipeline.train.auto.members import (
    ALONE,
    AT_MOST_PARTS,
    FEW,
    MAPPED,
    MAPPED_SPANS,
    POOLED,
    PRIOR,
    READING,
    ROUGH,
    WINDOW,
    Member,
)
from dovetail.pipeline.train.auto.old_text import AGREEMENT, COPIES, MOST_TOKENS
from dovetail.pipeline.train.auto.pool_fitting import (
    ON_WEIGHTS,
    STRENGTH,
    FittedPool,
    PoolPart,
    fit_pool,
)
from dovetail.pipeline.train.auto.scoring import evaluate_held_out, log_likelihoods
from dovetail.pipeline.train.held_out import HeldOut

logger = logging.getLogger(__name__)

TOTAL = 0.75  # of the usual weights: cross-fitting shows that members are too sure of themselves
QUICK = 20  # rounds of fitting where only a choice depends on it
# Kinds of members that are pooled; the first pool that has members is the usual one.
POOLS: Mapping[str, tuple[str, ...]] = {
    "transfer": (READING, MAPPED),
    "all": (ALONE, READING, MAPPED),
    "transfer by spans": (READING, MAPPED_SPANS),
    "no transfer": (ALONE,),
    "lower labels mapped": (MAPPED_SPANS,),
}
# Standard errors by which a pool must be better, where they are not the usual ones.
MARGINS = {"all": 0.5, "transfer by spans": 0.5, "lower labels mapped": 0.0}
WITH_TEXT = "{}, with old text"
# What is believed of mapped spans where types agree, before any is seen: one is right, and three
# are wrong or missed. Twice the right ones, and that with the others:
BELIEVED = 2.0, 5.0
# All that results depend on.
METHOD = (
    WINDOW,
    PRIOR,
    TOTAL,
    ROUGH,
    QUICK,
    SIGNIFICANT,
    FLOOR,
    STRENGTH,
    ON_WEIGHTS,
    FEW,
    LEAST,
    tuple(POOLS.items()),
    tuple(MARGINS.items()),
    BELIEVED,
    MOST_TOKENS,
    COPIES,
    AGREEMENT,
    AT_MOST_PARTS,
)


class EvaluatedPool(NamedTuple):
    """Some of the members as a pool: fitted on all parts, the parts by pools of the others, how
    spans are chosen, and how good that is."""

    kind: str  # one of POOLS
    members: Sequence[Member]
    pool: FittedPool
    parts: list[HeldOut]
    decision: SpanDecision | None
    judgement: RatioScore
    log_likelihoods: Scores  # of each sequence

    @property
    def name(self) -> str:
        """What it is called in notes and facts."""
        has_text = any(member.kind == POOLED for member in self.members)
        return WITH_TEXT.format(self.kind) if has_text else self.kind

    @property
    def rank(self) -> tuple[float, float]:
        """F1 or accuracy with what is believed beforehand; of equals, the likelier is better."""
        believed = all(member.agrees for member in self.members)
        share, of = BELIEVED
        return (
            self.judgement.smoothed_score(share * believed, of),
            float(self.log_likelihoods.sum()),
        )

    def is_preferred(self, usual: EvaluatedPool) -> bool:
        """Whether it should be taken rather than the usual pool."""
        margin = MARGINS.get(self.kind, SIGNIFICANT)
        if any(member.learned_here for member in self.members):
            margin = margin or SIGNIFICANT
        if not margin:
            return self.rank > usual.rank and not usual.is_likelier(self, SIGNIFICANT)
        return self.judgement.is_significantly_better(usual.judgement, margin)

    def is_better_with_text(self, best: EvaluatedPool) -> bool:
        """Whether old text is worth having, beside the best pool without."""
        is_as_good = self.rank[0] >= best.rank[0]
        return is_as_good and self.is_likelier(best, 0.0)

    def is_likelier(self, other: EvaluatedPool, margin: float) -> bool:
        """Whether it makes the true labels likelier, by so many standard errors."""
        gain = self.log_likelihoods - other.log_likelihoods
        error = float(np.sqrt(np.sum((gain - gain.mean()) ** 2)))
        return float(gain.sum()) > margin * error

    def as_annotator(self) -> Recalibrated:
        """The pool as a layer."""
        correction = self.pool.correction
        members = [member.annotator for member in self.members]
        pool = Pool(members, self.pool.weights, correction.labels)
        threshold = None if self.decision is None else self.decision.threshold
        return Recalibrated(pool, correction, threshold)


class SelectedPool(NamedTuple):
    """The pool that is best as a layer, its scores of the training text, and why it was taken."""

    annotator: Recalibrated
    held_out: list[HeldOut]
    note: str
    name: str
    scores: dict[str, float]  # cross-validated, of all pools that were compared


@dataclass(frozen=True)
class Candidates:
    """Members of which the best pool is chosen."""

    members: Sequence[Member]
    threads: int | None = None

    def without_transfer(self) -> Candidates:
        """Those that see nothing of the tasks below."""
        return replace(self, members=[m for m in self.members if m.kind == ALONE])

    def select_pool(self) -> SelectedPool:
        """The best pool of these members."""
        there = {member.kind for member in self.members}
        kinds = [kind for kind, members in POOLS.items() if there.issuperset(members)]
        compared = [self._evaluate_kind(kind) for kind in kinds]
        best = _choose(compared)
        reading = [kind for kind in kinds if READING in POOLS[kind]]
        if POOLED in there and reading:
            with_text = [self._evaluate_kind(reading[0], with_text=True)]
            if with_text[0].is_better_with_text(best):
                with_text += [self._evaluate_kind(kind, with_text=True) for kind in reading[1:]]
                best = _choose(with_text)
            compared += with_text
        listed = ", ".join(f"{pool.name} {100 * pool.judgement.score:.1f}" for pool in compared)
        note = f"cross-validated scores: {listed}; taken: {best.name}"
        logger.info(note)
        scores = {pool.name: pool.judgement.score for pool in compared}
        return SelectedPool(best.as_annotator(), best.parts, note, best.name, scores)

    def _evaluate_kind(self, kind: str, *, with_text: bool = False) -> EvaluatedPool:
        kinds = {*POOLS[kind], POOLED} if with_text else {*POOLS[kind]}
        chosen = [member for member in self.members if member.kind in kinds]
        return self.evaluate_pool(kind, chosen)

    @cached_property
    def _tells_where_spans_begin(self) -> bool:
        """Whether no part of the text has labels of IOB1."""
        parts = self.members[0].parts
        return all(detect_scheme(part.corpus.lists(part.label)) != "IOB1" for part in parts)

    def evaluate_pool(self, kind: str, members: Sequence[Member]) -> EvaluatedPool:
        """A pool of some members, fitted, and scored on parts that it was not fitted on."""
        parts = [list(part) for part in zip(*(member.parts for member in members), strict=True)]
        labels = _labels_of(members)
        usual = _usual_weights(members)
        prepared = [PoolPart.of(part, labels) for part in parts]
        whole = FittedPool(tuple(usual), Correction.none(labels))
        if usable := [part for part in prepared if part is not None]:
            whole = fit_pool(usable, usual, labels, threads=self.threads)
        held_out = []
        for part, own in zip(parts, prepared, strict=True):
            rest = [other for other in usable if other is not own]
            fitted = whole
            if rest:
                fitted = fit_pool(
                    rest, usual, labels, start=whole, rounds=QUICK, threads=self.threads
                )
            scores = fitted.apply([one.scores.extended(labels) for one in part])
            held_out.append(replace(part[0], scores=scores))
        candidates = None
        if self._tells_where_spans_begin and labels_of_types(labels):
            candidates = [
                find_candidates(part.grid, labels, threads=self.threads) for part in held_out
            ]
        decision = None if candidates is None else SpanDecision.for_f1(candidates)
        judgement = evaluate_held_out(held_out, decision, self.threads, candidates)
        likelihoods = log_likelihoods(held_out, self.threads)
        return EvaluatedPool(kind, members, whole, held_out, decision, judgement, likelihoods)


def _choose(pools: Sequence[EvaluatedPool]) -> EvaluatedPool:
    """The first one, or the best of those that should be taken rather than that."""
    better = [pool for pool in pools[1:] if pool.is_preferred(pools[0])]
    return max(better, key=lambda pool: pool.rank, default=pools[0])


def _labels_of(members: Sequence[Member]) -> tuple[str, ...]:
    """The labels that any of them has: those of a map may be more than the text shows."""
    each = (label for member in members for label in member.annotator.labels_)
    return tuple(dict.fromkeys(each))


def _usual_weights(members: Sequence[Member]) -> list[float]:
    """Each kind has the same share, and shares it among its members."""
    kinds = [member.kind for member in members]
    return [TOTAL / len({*kinds}) / kinds.count(kind) for kind in kinds]
