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
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus, detect_scheme
from dovetail.corpus.sequences import part_numbers, sequence_keys
from dovetail.errors import DataError
from dovetail.evaluate.judgement import CLEARLY, Judgement
from dovetail.features import Template, column
from dovetail.numeric import log
from dovetail.pipeline.annotators import Annotator, TaggerLayer
from dovetail.pipeline.decoding import missing
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.judging import judged
from dovetail.pipeline.label_map import Mapped, fit_label_map
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.log_columns import FLOOR, LogTaggerLayer, logged
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

WINDOW = 1  # how far around a token probabilities of lower labels are read
PRIOR = sqrt(10)  # of their features: a tenth of the penalty
TOTAL = 0.75  # of the usual weights: cross-fitting shows that members are too sure of themselves
ROUGH = 1e-2  # tolerance where only choices and a few numbers depend on it
LEAST_F1 = 0.1  # that is believed of little text
QUICK = 20  # rounds of fitting where only a choice depends on it
ALONE, READING, MAPPED = "alone", "reading", "mapped"
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


@dataclass(frozen=True)
class Member:
    """A model of the last task, and its scores of parts of the training text that it was not
    trained on."""

    kind: str
    annotator: Annotator
    parts: Sequence[HeldOut]


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
    pool = Pool([member.annotator for member in tried.members], tried.pool.weights)
    return Recalibrated(pool, tried.pool.correction, eagerness(tried.judgement.score))


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
    if not isinstance(layer.annotator, TaggerLayer):
        raise DataError(f"'{layer.name}' is no Tagger, so it cannot be trained here")
    below = plan.below(layer) or list(plan.layers[: plan.layers.index(layer)])
    names = [lower.name for lower in below]
    filled = plan.annotated(corpus, below)
    plan.choose_features(layer, filled, label)
    plan.choose_value(layer, filled, label)
    settings = layer.annotator.settings
    n_texts = len({*sequence_keys(filled)})
    if n_texts < 2:
        raise DataError("auto needs at least two different sequences to choose on; give more text")
    numbers = part_numbers(filled, min(plan.folds, n_texts), plan.seed)
    parts = [np.flatnonzero(numbers == part) for part in range(int(numbers.max()) + 1)]

    empty = filled
    for name in names:
        empty = empty.with_column(name, missing(filled))
    fitting = _Fitting(plan, layer.name, filled, label, parts, settings["tolerance"])
    members = [fitting.tagger(ALONE, _without_lower(settings, names), empty, ())]
    if names:
        members.append(fitting.tagger(READING, _with_lower(settings, names), filled, names))
        labels = tuple(members[0].annotator.labels_)
        members += [fitting.mapped(lower, labels) for lower in below]
    return Candidates(members, plan.threads)


@dataclass(frozen=True)
class _Fitting:
    """The training of members on the same parts of the same text."""

    plan: Curriculum
    task: str
    corpus: Corpus
    label: str
    parts: Sequence[Any]
    tolerance: float

    def tagger(
        self, kind: str, settings: dict[str, Any], corpus: Corpus, names: Sequence[str]
    ) -> Member:
        """A tagger that reads the logarithms of some columns."""
        text = logged(corpus, names)

        def trained(chosen: Corpus, title: str, **rough: float) -> TaggerLayer:
            own = Tagger(**{**settings, **rough})
            own.fit(chosen, label=self.label, callback=self.plan.callback(title))
            return LogTaggerLayer(own, names) if names else TaggerLayer(own)

        whole = trained(text, self.task)
        labels = tuple(whole.labels_)
        held_out = []
        for k, part in enumerate(self.parts):
            title = f"{self.task}, without part {k + 1} of {len(self.parts)}"
            rest = np.setdiff1d(np.arange(len(text)), part)
            model = trained(text.select(rest), title, tolerance=max(ROUGH, self.tolerance))
            scores = model.potentials(corpus.select(part), {}).extended(labels)
            held_out.append(HeldOut(self.corpus.select(part), self.label, scores))
        return Member(kind, whole, held_out)

    def mapped(self, lower: Layer, labels: tuple[str, ...]) -> Member:
        """A lower tagger through a map of its labels."""
        texts = [self.corpus.select(part) for part in self.parts]
        scheme = detect_scheme(self.corpus.lists(self.label))

        def fitted(some: Sequence[Corpus]) -> Mapped:
            found = fit_label_map(some, lower.name, self.label, lower.labels, labels)
            return Mapped(lower.name, found, scheme)

        held_out = []
        for k, text in enumerate(texts):
            rest = [other for j, other in enumerate(texts) if j != k]
            held_out.append(HeldOut(text, self.label, fitted(rest).potentials(text, {})))
        return Member(MAPPED, fitted(texts), held_out)


def _without_lower(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    template = settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    return {**settings, "features": _like(template, kept)}


def _with_lower(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    template = settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    soft = [column(name).window(WINDOW) for name in names]
    groups = [
        FeatureGroup(f"{row.name}=*".replace("[", "[[]"), prior=PRIOR)
        for expression in soft
        for row in expression.rows
    ]
    own = {"features": _like(template, [*kept, *soft])}
    return {**settings, **own, "groups": [*groups, *settings["groups"]]}


def _reads(expression: Any, names: Sequence[str]) -> bool:
    return any(part.attribute.column in names for row in expression.rows for part in row.parts)


def _like(template: Template, expressions: Sequence[Any]) -> Template:
    return Template(*expressions, lexicons=template.lexicons, tables=template.tables)
