"""Transfer that can be trusted: what ``decode="auto"`` trains for the last task of a pipeline.

Two models are trained, one that sees nothing of the tasks below and one that reads their label
probabilities as a few real-valued features with a weak prior. Their scores are averaged, which
keeps most of what transfer gains and loses little where it would hurt; the average is recalibrated
on cross-fitted scores. How strongly is chosen by cross-validation on the training text alone, and
may be not at all.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.features import Template, column
from dovetail.grid import Grid
from dovetail.pipeline.annotators import TaggerLayer
from dovetail.pipeline.decoding import missing
from dovetail.pipeline.layers import Layer
from dovetail.pipeline.pool import Pool
from dovetail.pipeline.potentials import Potentials
from dovetail.pipeline.recalibration import Correction, Recalibrated, fit_correction
from dovetail.pipeline.training import Curriculum, part_numbers

logger = logging.getLogger(__name__)

STRENGTHS = (100.0, 10.0, 1.0)  # penalties on the correction that are tried
WINDOW = 1  # how far around a token probabilities of lower labels are read
PRIOR = 10**0.5  # of their features: a tenth of the penalty
LEAST_GAIN = 0.001  # of F1, for a correction to be worth having


@dataclass(frozen=True)
class Fold:
    """A part of the training text, with scores of models that were trained on the rest."""

    corpus: Corpus
    scores: Potentials


def fit_auto(plan: Curriculum, layer: Layer, corpus: Corpus, label: str) -> Any:
    """The annotator that takes the place of a tagger: a pool of two, recalibrated."""
    if not isinstance(layer.annotator, TaggerLayer):
        raise DataError(f"'{layer.name}' is no Tagger, so it cannot be trained here")
    tagger = layer.annotator.tagger
    below = plan.below(layer)
    names = [lower.name for lower in below]
    filled = plan.annotated(corpus, below)
    plan.choose_features(layer, filled, label)
    with_lower, without = _with_lower(tagger, names), _without_lower(tagger, names)
    empty = filled
    for name in names:
        empty = empty.with_column(name, missing(filled))

    def pool(chosen: np.ndarray[Any, Any] | None, title: str) -> Any:
        """Both models, trained on some sequences or on all."""
        callback = plan.callback(title)
        parts = [(without, empty), (with_lower, filled)] if names else [(without, empty)]
        members: list[Tagger] = []
        for settings, text in parts:
            own = text if chosen is None else text.select(chosen)
            members.append(Tagger(**settings).fit(own, label=label, callback=callback))
        return Pool(members)

    whole = pool(None, layer.name)
    labels = tuple(whole.labels_)
    folds: list[Fold] = []
    numbers = part_numbers(filled, min(plan.folds, len(filled)), plan.seed)
    for part in range(int(numbers.max()) + 1):
        title = f"{layer.name}, without part {part + 1} of {int(numbers.max()) + 1}"
        fitted = pool(np.flatnonzero(numbers != part), title)
        held = filled.select(np.flatnonzero(numbers == part))
        folds.append(Fold(held, fitted.potentials(held, {}).extended(labels)))
    strength = best_strength(folds, label, labels)
    if strength is None:
        return whole
    correction = fit_correction(*_unzipped(folds), label, strength, labels)
    return Recalibrated(whole, correction)


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


def best_strength(folds: Sequence[Fold], label: str, labels: tuple[str, ...]) -> float | None:
    """How strong the penalty on a correction should be, by a second cross-validation over the
    parts; None where no correction does better than none."""

    latest: dict[int, Correction] = {}  # of each part, where the next search begins

    def score(strength: float | None) -> float:
        gold: list[Any] = []
        found: list[Any] = []
        for k, fold in enumerate(folds):
            scores = fold.scores
            if strength is not None:
                rest = _unzipped([f for j, f in enumerate(folds) if j != k])
                latest[k] = fit_correction(*rest, label, strength, labels, latest.get(k))
                scores = latest[k].applied(scores)
            given = fold.corpus.lists(label)
            whole = [s for s, row in enumerate(given) if None not in row]
            decoded = _decoded(scores, fold.corpus)
            gold += [given[s] for s in whole]
            found += [decoded[s] for s in whole]
        report = evaluate(gold, found)
        return report.micro.f1 if report.kind == "spans" else report.accuracy

    plain = score(None)
    scores = {strength: score(strength) for strength in STRENGTHS} if len(folds) > 1 else {}
    tried = ", ".join(f"{100 * score:.1f} by {strength:g}" for strength, score in scores.items())
    logger.info("cross-validated score %.1f; recalibrated %s", 100 * plain, tried)
    best = max(scores, key=lambda s: (scores[s], s), default=None)
    return best if best is not None and scores[best] > plain + LEAST_GAIN else None


def _unzipped(folds: Sequence[Fold]) -> tuple[list[Potentials], list[Corpus]]:
    return [fold.scores for fold in folds], [fold.corpus for fold in folds]


def _decoded(scores: Potentials, corpus: Corpus) -> list[list[str]]:
    grid = Grid([scores.node], [scores.move], bounds=corpus.bounds)
    codes = grid.best("exact").labels[0].tolist()
    return [[scores.labels[y] for y in codes[a:b]] for a, b in pairwise(corpus.bounds.tolist())]
