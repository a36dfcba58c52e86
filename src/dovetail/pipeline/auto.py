"""Transfer that can be trusted: what ``decode="auto"`` trains for the last task of a pipeline.

Two models are trained, one that sees nothing of the tasks below and one that reads their label
probabilities as a few real-valued features with a weak prior. Their scores are averaged, which
keeps most of what transfer gains and loses little where it would hurt, and the average is
recalibrated on cross-fitted scores. Where one of the two alone, or another strength of
recalibration, or none, is clearly better in cross-validation on the training text, that is taken.
Clearly: on little text cross-validation is too noisy to overrule what does well as a rule.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from math import sqrt
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import part_numbers, sequence_keys
from dovetail.errors import DataError
from dovetail.evaluate.judgement import CLEARLY, Judgement
from dovetail.features import Template, column
from dovetail.pipeline.annotators import TaggerLayer
from dovetail.pipeline.decoding import missing
from dovetail.pipeline.held_out import HeldOut
from dovetail.pipeline.judging import judged
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.pool import Pool
from dovetail.pipeline.recalibration import (
    Correction,
    Recalibrated,
    can_be_used,
    fit_correction,
)
from dovetail.pipeline.training import Curriculum

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline

logger = logging.getLogger(__name__)

STRENGTHS = (100.0, 10.0, 1.0)  # penalties on the correction that are tried
WINDOW = 1  # how far around a token probabilities of lower labels are read
PRIOR = sqrt(10)  # of their features: a tenth of the penalty
USUAL = 10.0  # the one that is taken unless another is clearly better
ROUGH = 1e-2  # tolerance where only choices and a few numbers depend on it
METHOD = (STRENGTHS, USUAL, WINDOW, PRIOR, CLEARLY, ROUGH)  # all that results depend on


@dataclass(frozen=True)
class Candidates:
    """Models of the last task, without transfer and with it, each with its scores of the parts of
    the training text that it was not trained on."""

    members: Sequence[Tagger]
    parts: Sequence[Sequence[HeldOut]]
    threads: int | None = None

    def chosen(self) -> tuple[Any, list[HeldOut]]:
        """A pool, recalibrated where that helps, and its scores of the training text."""
        labels = tuple(self.members[0].labels_)
        weights, pooled = best_weights(self.parts, self.threads)
        used = [(m, w) for m, w in zip(self.members, weights, strict=True) if w]
        pool = Pool([member for member, _ in used], [weight for _, weight in used])
        strength, corrected = recalibrated(pooled, labels, self.threads)
        if strength is None:
            return pool, corrected
        correction = fit_correction(pooled, strength, labels, threads=self.threads)
        return Recalibrated(pool, correction), corrected


def use(made: Candidates, pipeline: Pipeline) -> None:
    """Put what is best of some models in the place of a pipeline's last layer."""
    annotator, held_out = made.chosen()
    pipeline.layers = [*pipeline.layers[:-1], replace(pipeline.layers[-1], annotator=annotator)]
    pipeline.candidates_, pipeline.held_out_ = made, held_out


def without_transfer(pipeline: Pipeline) -> Pipeline:
    """The last task of a pipeline that was just trained with ``auto``, as if there were no tasks
    below: made of the same models, to tell what transfer is worth."""
    made = _candidates(pipeline)
    alone = copy(pipeline)
    alone.layers = pipeline.layers[-1:]
    use(Candidates(made.members[:1], made.parts[:1], made.threads), alone)
    return alone


def _candidates(pipeline: Pipeline) -> Candidates:
    if pipeline.candidates_ is None:
        raise DataError("transfer can be taken away only right after fit(training='auto')")
    return pipeline.candidates_


def fit_auto(plan: Curriculum, layer: Layer, corpus: Corpus, label: str) -> Candidates:
    """Models from which the annotator is made that takes the place of a tagger."""
    if not isinstance(layer.annotator, TaggerLayer):
        raise DataError(f"'{layer.name}' is no Tagger, so it cannot be trained here")
    tagger = layer.annotator.tagger
    below = plan.below(layer) or list(plan.layers[: plan.layers.index(layer)])
    names = [lower.name for lower in below]
    filled = plan.annotated(corpus, below)
    plan.choose_features(layer, filled, label)
    with_lower, without = _with_lower(tagger, names), _without_lower(tagger, names)
    empty = filled
    for name in names:
        empty = empty.with_column(name, missing(filled))

    def trained(chosen: np.ndarray[Any, Any] | None, title: str, **rough: float) -> list[Tagger]:
        """Both models, trained on some sequences or on all."""
        callback = plan.callback(title)
        kinds = [(without, empty), (with_lower, filled)] if names else [(without, empty)]
        out = []
        for settings, text in kinds:
            own = text if chosen is None else text.select(chosen)
            tagger = Tagger(**{**settings, **rough})
            out.append(tagger.fit(own, label=label, callback=callback))
        return out

    members = trained(None, layer.name)
    labels = tuple(members[0].labels_)
    rough = {"tolerance": max(ROUGH, tagger.settings["tolerance"])}
    parts: list[list[HeldOut]] = [[] for _ in members]
    n_texts = len({*sequence_keys(filled)})
    if n_texts < 2:
        raise DataError("auto needs at least two different sequences to choose on; give more text")
    numbers = part_numbers(filled, min(plan.folds, n_texts), plan.seed)
    for part in range(int(numbers.max()) + 1):
        title = f"{layer.name}, without part {part + 1} of {int(numbers.max()) + 1}"
        fitted = trained(np.flatnonzero(numbers != part), title, **rough)
        held = filled.select(np.flatnonzero(numbers == part))
        for own, model in zip(parts, fitted, strict=True):
            scores = TaggerLayer(model).potentials(held, {}).extended(labels)
            own.append(HeldOut(held, label, scores))
    return Candidates(members, parts, plan.threads)


def _without_lower(tagger: Tagger, names: Sequence[str]) -> dict[str, Any]:
    template = tagger.settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    return {**tagger.settings, "features": _like(template, kept)}


def _with_lower(tagger: Tagger, names: Sequence[str]) -> dict[str, Any]:
    template = tagger.settings["features"]
    kept = [e for e in template.expressions if not _reads(e, names)]
    soft = [column(name).window(WINDOW) for name in names]
    groups = [
        FeatureGroup(f"{row.name}=*".replace("[", "[[]"), prior=PRIOR)
        for expression in soft
        for row in expression.rows
    ]
    own = {"features": _like(template, [*kept, *soft])}
    return {**tagger.settings, **own, "groups": [*groups, *tagger.settings["groups"]]}


def _reads(expression: Any, names: Sequence[str]) -> bool:
    return any(part.attribute.column in names for row in expression.rows for part in row.parts)


def _like(template: Template, expressions: Sequence[Any]) -> Template:
    return Template(*expressions, lexicons=template.lexicons, tables=template.tables)


def best_weights(
    parts: Sequence[Sequence[HeldOut]], threads: int | None = None
) -> tuple[list[float], list[HeldOut]]:
    """What share each model should have in a pool, and the pooled scores: equal shares, unless one
    model alone is clearly better in cross-validation."""
    n = len(parts)
    if n == 1:
        return [1.0], list(parts[0])
    equal = [1 / n] * n
    alone = [[float(k == other) for other in range(n)] for k in range(n)]
    tried = [(weights, _pooled(parts, weights)) for weights in (equal, *alone)]
    found = [judged(pooled, threads) for _, pooled in tried]
    listed = ", ".join(f"{100 * judgement.score:.1f}" for judgement in found)
    logger.info("cross-validated scores of the pool, without transfer, with it: %s", listed)
    return tried[_preferred(found, usual=0)]


def _preferred(found: Sequence[Judgement], usual: int) -> int:
    """The best one if it is clearly better than the usual one, else that."""
    best = max(range(len(found)), key=lambda k: found[k].score)
    return best if found[best].is_clearly_better(found[usual]) else usual


def _pooled(parts: Sequence[Sequence[HeldOut]], weights: Sequence[float]) -> list[HeldOut]:
    out = []
    for models in zip(*parts, strict=True):
        scaled = [held.scores.scaled(w) for held, w in zip(models, weights, strict=True)]
        out.append(replace(models[0], scores=reduce(add, scaled)))
    return out


def recalibrated(
    parts: Sequence[HeldOut], labels: tuple[str, ...], threads: int | None = None
) -> tuple[float | None, list[HeldOut]]:
    """How strong the penalty on a correction should be, and the parts so corrected: as usual,
    unless another strength, or no correction (None), is clearly better in a second
    cross-validation over the parts."""
    tried: list[tuple[float | None, list[HeldOut]]] = [(None, list(parts))]
    if sum(can_be_used(part, labels) for part in parts) < 2:
        return tried[0]
    corrections: list[Correction | None] = [None] * len(parts)  # where the next search begins
    for strength in STRENGTHS:
        corrected = []
        for k, part in enumerate(parts):
            rest = [other for j, other in enumerate(parts) if j != k]
            found = fit_correction(rest, strength, labels, corrections[k], threads=threads)
            corrections[k] = found
            corrected.append(replace(part, scores=found.applied(part.scores)))
        tried.append((strength, corrected))
    judgements = [judged(corrected, threads) for _, corrected in tried]
    listed = ", ".join(f"{100 * judgement.score:.1f}" for judgement in judgements)
    logger.info("cross-validated scores, plain and recalibrated: %s", listed)
    return tried[_preferred(judgements, usual=1 + STRENGTHS.index(USUAL))]
