"""What the columns of representations count, chosen where a tagger that reads them is trained.

A representation of the value ``auto`` writes its columns at the value 1. Features of another value
are the same as features with a prior as many times as wide, so the choice is one of the tagger's
priors: the representation and its columns stay as they are, and each task has a value of its own.

What is chosen makes the labels of the training text most likely, where parts of it are labelled by
taggers that were trained on the others. The search begins at 1 and climbs to the better neighbour
on a ladder of values: the likelihood rises to one peak and falls behind it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import escape
from math import isfinite, nan
from typing import Any

import numpy as np

from dovetail.base.training import was_interrupted
from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.chain.train.methods import find_method
from dovetail.chain.train.prior import FLAT_STRENGTH
from dovetail.chain.train.prior import MOST_TOKENS as GRADED
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds, sequence_keys
from dovetail.errors import DovetailError
from dovetail.features import Dataset, Template

logger = logging.getLogger(__name__)

LADDER = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
USUAL = 1.0  # where the search begins, and what is taken where nothing can be compared
PARTS = 2
ROUGH = 3e-3  # tolerance of trainings that only the choice depends on
MOST_TOKENS = 20_000  # of more text, a sample is enough to choose on


@dataclass(frozen=True)
class ChosenValue:
    """A value, and the likelihoods of those that were tried, in nats a token."""

    value: float
    tried: Mapping[float, float]

    def note(self, columns: Sequence[str]) -> str:
        """What was chosen, in words."""
        if not self.tried:
            return f"the value of {_listed(columns)} is {self.value:g}: too little text to choose"
        found = ", ".join(f"{value:g}: {self.tried[value]:.4f}" for value in sorted(self.tried))
        return (
            f"the value of {_listed(columns)} is {self.value:g}, by the likelihood of labels in "
            f"cross-validation ({found})"
        )


def groups_of(template: Template, columns: Sequence[str], value: float) -> list[FeatureGroup]:
    """The prior of features that read some columns, as if these had another value."""
    rows = [row for row in template.rows if _reads(row, columns)]
    return [FeatureGroup(f"{escape(row.name)}=*", prior=value, on=row.on) for row in rows]


def reads(template: Any, columns: Sequence[str]) -> bool:
    """Whether features are made by a template, and of some of these columns."""
    return isinstance(template, Template) and any(_reads(row, columns) for row in template.rows)


def choose_value(
    settings: Mapping[str, Any], corpus: Corpus, label: str, columns: Sequence[str], seed: int = 0
) -> ChosenValue:
    """The value of some columns under which a tagger of these settings does best."""
    method = find_method(settings["method"])
    if not method.l2 or not (settings["c1"] or settings["c2"]):
        return ChosenValue(USUAL, {})  # without a penalty it hardly matters
    rough = {**settings, "tolerance": max(ROUGH, settings["tolerance"])}
    if not method.warm_start:
        rough["method"] = "auto"
    if rough["c2"] == "auto" and corpus.n_tokens > GRADED:
        rough["c2"] = FLAT_STRENGTH  # the prior is that of the whole text
    sample = _sample(corpus, seed)
    n_texts = len({*sequence_keys(sample)})
    if n_texts < PARTS:
        return ChosenValue(USUAL, {})
    try:
        numbers = assign_folds(sample, PARTS, seed)
        parts = [_Part(rough, sample, label, columns, numbers == k) for k in range(PARTS)]
        tried = _climb(parts)
    except DovetailError as error:  # what is wrong with the whole text, its training will say
        logger.info("no value could be chosen: %s", error)
        return ChosenValue(USUAL, {})
    if not tried:
        return ChosenValue(USUAL, {})
    return ChosenValue(max(tried, key=lambda value: tried[value]), tried)


def _climb(parts: Sequence[_Part]) -> dict[float, float]:
    """Likelihoods of the values on the way to the best one."""
    n_tokens = sum(part.n_tokens for part in parts)
    tried: dict[float, float] = {}

    def likelihood(place: int) -> float:
        value = LADDER[place]
        if value not in tried:
            tried[value] = sum(part.log_likelihood(value) for part in parts) / max(n_tokens, 1)
        return tried[value]

    if not n_tokens:
        return {}
    place = LADDER.index(USUAL)
    for step in (-1, 1):
        while 0 <= place + step < len(LADDER) and likelihood(place + step) > likelihood(place):
            place += step
    return tried if all(map(isfinite, tried.values())) else {}


class _Part:
    """A part of the text, and what taggers are trained on to label it."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        corpus: Corpus,
        label: str,
        columns: Sequence[str],
        held_out: np.ndarray[Any, Any],
    ) -> None:
        self.settings, self.columns = settings, columns
        rest = corpus.select(np.flatnonzero(~held_out))
        self.data = Dataset.from_template(settings["features"], rest, rest.lists(label))
        held = corpus.select(np.flatnonzero(held_out))
        known = set(self.data.labels)
        self.held = held.select(
            [k for k, labels in enumerate(held.lists(label)) if known.issuperset(labels)]
        )
        self.labels: list[Any] = self.held.lists(label)
        self.n_tokens = self.held.n_tokens
        self._last: Tagger | None = None

    def log_likelihood(self, value: float) -> float:
        """Of the labels of this part, but for sequences that cannot have theirs."""
        own = groups_of(self.settings["features"], self.columns, value)
        tagger = Tagger(**{**self.settings, "groups": [*self.settings["groups"], *own]})
        tagger.fit(self.data, warm_start=self._last)
        if was_interrupted(tagger.stopped_):
            raise KeyboardInterrupt
        self._last = tagger
        found = tagger.log_likelihood(self.held, self.labels)
        return sum(one for one in found if one > -np.inf) if found else nan


def _sample(corpus: Corpus, seed: int) -> Corpus:
    """Random sequences, in their order, where there are more tokens than needed."""
    if corpus.n_tokens <= MOST_TOKENS:
        return corpus
    order = np.random.default_rng(seed).permutation(len(corpus))
    n = int(np.searchsorted(np.cumsum(np.diff(corpus.bounds)[order]), MOST_TOKENS))
    return corpus.select(np.sort(order[: max(n, PARTS)]))


def _reads(row: Any, columns: Sequence[str]) -> bool:
    return any(part.attribute.column in columns for part in row.parts)


def _listed(columns: Sequence[str]) -> str:
    return " and ".join([", ".join(columns[:-1]), columns[-1]] if columns[1:] else columns)
