"""Transfer that can be trusted: what ``decode="auto"`` trains for the last task of a pipeline.

There are three kinds of members, each cross-fitted on the training text:

alone    a tagger that sees nothing of the tasks below
reading  a tagger that reads the logarithms of their label probabilities, with a weak prior
mapped   each lower tagger as it is, its labels through a map that is learnt (`label_map`)

As a rule the readers and the mapped ones are pooled, with weights and a recalibration that make the
cross-fitted labels most likely (`pool_fitting`). Where the task alone, or all members together, or
the mapped ones only, are clearly better in a second cross-validation, that is taken. Clearly: on
little text cross-validation is too noisy to overrule what does well as a rule. The bar is lower for
the mapped ones, which have next to nothing to learn and so are at their best with the least text.

The pool's probabilities are those of a calibrated model. Labels are decided on with F1 in view: a
span is taken at a lower probability where spans are hard to find (`eagerness`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail.corpus import Corpus, detect_scheme
from dovetail.errors import DataError
from dovetail.evaluate.judgement import CLEARLY, Judgement
from dovetail.numeric import log
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.judging import judged
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.log_columns import FLOOR
from dovetail.pipeline.members import (
    ALONE,
    MAPPED,
    PRIOR,
    READING,
    ROUGH,
    WINDOW,
    Member,
    fit_members,
)
from dovetail.pipeline.pool import Pool
from dovetail.pipeline.pool_fitting import (
    ON_WEIGHTS,
    STRENGTH,
    FittedPool,
    can_be_fitted,
    fit_pool,
)
from dovetail.pipeline.recalibration import Correction, Recalibrated
from dovetail.pipeline.training import Curriculum

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline

logger = logging.getLogger(__name__)

TOTAL = 0.75  # of the usual weights: cross-fitting shows that members are too sure of themselves
LEAST_F1 = 0.1  # that is believed of little text
QUICK = 20  # rounds of fitting where only a choice depends on it
# Kinds of members that are pooled; the first pool that has members is the usual one.
POOLS: Mapping[str, tuple[str, ...]] = {
    "transfer": (READING, MAPPED),
    "all": (ALONE, READING, MAPPED),
    "no transfer": (ALONE,),
    "lower labels mapped": (MAPPED,),
}
MARGINS = {"lower labels mapped": 1.0}  # standard errors, where they are not the usual ones
# All that results depend on.
METHOD = (
    WINDOW,
    PRIOR,
    TOTAL,
    ROUGH,
    QUICK,
    LEAST_F1,
    CLEARLY,
    FLOOR,
    STRENGTH,
    ON_WEIGHTS,
    tuple(POOLS),
)


class _Tried(NamedTuple):
    """Some of the members as a pool: fitted on all parts, and the parts by pools of the others."""

    name: str
    members: Sequence[Member]
    pool: FittedPool
    parts: list[HeldOut]
    judgement: Judgement


@dataclass(frozen=True)
class Candidates:
    """Members of which the best pool is chosen."""

    members: Sequence[Member]
    threads: int | None = None

    def chosen(self) -> tuple[Any, list[HeldOut], str]:
        """The pool that is best, its scores of the training text, and why it was chosen."""
        tried = [
            self._tried(name, members)
            for name, kinds in POOLS.items()
            if (members := [member for member in self.members if member.kind in kinds])
            and {member.kind for member in members} == {*kinds}
        ]
        usual = tried[0].judgement
        better = [
            one
            for one in tried
            if one.judgement.is_clearly_better(usual, MARGINS.get(one.name, CLEARLY))
        ]
        best = max(better, key=lambda one: one.judgement.score, default=tried[0])
        listed = ", ".join(f"{one.name} {100 * one.judgement.score:.1f}" for one in tried)
        note = f"cross-validated scores: {listed}; taken: {best.name}"
        logger.info(note)
        return _annotator(best), best.parts, note

    def _tried(self, name: str, members: Sequence[Member]) -> _Tried:
        parts = [list(part) for part in zip(*(member.parts for member in members), strict=True)]
        labels = tuple(members[0].annotator.labels_)
        usual = _usual_weights(members)
        usable = [can_be_fitted(part, labels) for part in parts]
        whole = FittedPool(tuple(usual), Correction.none(labels))
        if any(usable):
            whole = fit_pool(parts, usual, labels, threads=self.threads)
        held_out = []
        for k, part in enumerate(parts):
            rest = [other for j, other in enumerate(parts) if j != k and usable[j]]
            settings: Any = {"start": whole, "rounds": QUICK, "threads": self.threads}
            fitted = fit_pool(rest, usual, labels, **settings) if rest else whole
            scores = fitted.applied([one.scores.extended(labels) for one in part])
            held_out.append(replace(part[0], scores=scores))
        return _Tried(name, members, whole, held_out, judged(held_out, self.threads))


def _usual_weights(members: Sequence[Member]) -> list[float]:
    """Each kind has the same share, and shares it among its members."""
    kinds = [member.kind for member in members]
    return [TOTAL / len({*kinds}) / kinds.count(kind) for kind in kinds]


def _annotator(tried: _Tried) -> Any:
    """The pool. Labels under IOB1 do not tell where a span begins; without anything that could be
    judged, nothing is known of F1."""
    pool = Pool([member.annotator for member in tried.members], tried.pool.weights)
    schemes = {detect_scheme(part.corpus.lists(part.label)) for part in tried.parts}
    can_gain = len(tried.judgement.influence) and "IOB1" not in schemes
    gain = eagerness(tried.judgement.score) if can_gain else 0.0
    return Recalibrated(pool, tried.pool.correction, gain)


def eagerness(f1: float) -> float:
    """How much the first label of a span gains when labels are decided on.

    Where an F1 of F can be had, it is highest if all spans of a probability above F / 2 are taken
    (Lipton, Elkan and Naryanaswamy 2014): if a span gains log((2 - F) / F). That holds if a span
    is right or wrong as a whole. Its type and borders may be wrong too, so it gains half of that.

    >>> [round(eagerness(f1), 2) for f1 in (0.2, 0.5, 0.9)]
    [1.1, 0.55, 0.1]
    """
    reached = max(f1, LEAST_F1)
    return 0.5 * float(log((2 - reached) / reached))


def use(made: Candidates, pipeline: Pipeline) -> None:
    """Put what is best of some models in the place of a pipeline's last layer."""
    annotator, held_out, note = made.chosen()
    last = pipeline.layers[-1]
    pipeline.layers = [*pipeline.layers[:-1], replace(last, annotator=annotator)]
    pipeline.candidates_, pipeline.held_out_ = made, held_out
    pipeline.notes_ = [*pipeline.notes_, f"{last.name}: {note}"]


def without_transfer(pipeline: Pipeline) -> Pipeline:
    """The last task of a pipeline that was just trained with ``auto``, as if there were no tasks
    below: made of the same models, to tell what transfer is worth."""
    made = _candidates(pipeline)
    alone = copy(pipeline)
    alone.layers = pipeline.layers[-1:]
    use(Candidates([m for m in made.members if m.kind == ALONE], made.threads), alone)
    return alone


def _candidates(pipeline: Pipeline) -> Candidates:
    if pipeline.candidates_ is None:
        raise DataError("transfer can be taken away only right after fit(training='auto')")
    return pipeline.candidates_


def fit_auto(plan: Curriculum, layer: Layer, corpus: Corpus, label: str) -> Candidates:
    """Models from which the annotator is made that takes the place of a tagger."""
    return Candidates(fit_members(plan, layer, corpus, label), plan.threads)
