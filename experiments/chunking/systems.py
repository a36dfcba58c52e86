"""Taggers of chunks: linear ones, support vectors, CRFs that read another's column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dovetail import ASO, Corpus, LinearTagger, Tagger, Template, column
from dovetail.corpus import Column, SoftColumn
from dovetail.features.sets import chunking
from dovetail.multitask import Structure, compound, masked, parts
from experiments.chunking.support_vectors import SupportVectors
from experiments.readers.function_chunks import LABEL

N_PARTS = 7
FOLDS = 5  # of a cross-fitted column
C2 = 0.5  # what CRF++ has by default
TOLERANCE = 1e-2
LINEAR = {"penalty": 1e-4, "tolerance": 1e-3}
BELOW = "below"
IN_NETS = f"ASO {N_PARTS}"
SOFT = ("linear", IN_NETS)  # whose probabilities are read
PRINTED = {"printed 5": (5, 0), "printed L": (0, 1), "printed 3L": (0, 3)}
"""Directions of the algorithm as printed: so many, or so many times the labels."""
AROUND = 2  # how far, where a column is read by itself too
MASKED = (("pos", 0), ("pos", -1), ("pos", 1), ("word", 0), ("word", -1), ("word", 1))
DIRECTIONS = 30  # of structure that is learned from unlabelled text
VALUE = 0.3  # of its numbers
SHARED = "shared"
ON_STRUCTURE = "linear on structure"


def structure(text: Corpus) -> Structure:
    """What values of words and tags of unlabelled text, predicted from what stands around them,
    have in common."""
    tasks = [masked(text, name, offset=offset) for name, offset in MASKED]
    own: dict[str, Any] = {"name": SHARED, "value": VALUE, "min_count": 2, "threads": 1}
    return Structure(chunking(), DIRECTIONS, **own).fit(tasks)


Division = tuple[Corpus, Corpus]  # to train on, and to test on
Columns = Mapping[bool, Column]  # best labels, and soft ones


class Models:
    """Models of one division of a corpus, each trained when it is first asked for.

    ``structured`` gives the same division with the column of a `structure`.
    """

    def __init__(self, division: Division, structured: Callable[[], Division]) -> None:
        self.train, self.test = division
        self.features = chunking()
        self.reading_structure = self.features.with_columns(SHARED)
        self._structured = lru_cache(maxsize=1)(structured)
        self._crossed = lru_cache(maxsize=None)(self._cross_fitted)
        self._whole = lru_cache(maxsize=None)(self._tested)

    def predict(self, system: str) -> list[list[str]]:
        """A system's labels of the test part."""
        first, _, rest = system.partition(" + ")
        if first != "CRF":
            return _lists(self.test.with_column(LABEL, self._whole(system)[False]))
        if not rest:
            return self._crf(self.features, self.train, self.test)
        if rest == "structure":
            return self._crf(self.reading_structure, *self._structured())
        return self._net(*rest.split(", "))

    def _division(self, name: str) -> Division:
        """What a linear model is trained and tested on."""
        return self._structured() if name == ON_STRUCTURE else (self.train, self.test)

    def _net(self, below: str, training: str) -> list[list[str]]:
        """A CRF that reads the column of another in compound features."""
        name, soft = {"ASO": IN_NETS}.get(below, below), training.startswith("soft")
        own = self.train.column(LABEL) if training == "gold" else self._crossed(name)[soft]
        train, test = self.train, self.test.with_column(BELOW, self._whole(name)[soft])
        features = compound(self.features, BELOW)
        if training.endswith("around"):
            features = Template(*features.expressions, column(BELOW).window(AROUND))
        return self._crf(features, train.with_column(BELOW, own), test)

    def _crf(self, features: Template, train: Corpus, test: Corpus) -> list[list[str]]:
        settings: Mapping[str, Any] = {"c2": C2, "tolerance": TOLERANCE, "threads": 1}
        tagger = Tagger(features=features, **settings).fit(train, label=LABEL)
        return tagger.predict(test)

    def _fitted(self, name: str, corpus: Corpus) -> Any:
        """A linear model of the name, trained."""
        kind, _, which = name.partition(" ")
        if kind == "SVM":
            return SupportVectors(self.features).fit(corpus, label=LABEL)
        features = self.reading_structure if name == ON_STRUCTURE else self.features
        settings: dict[str, Any] = {"features": features, "threads": 1, **LINEAR}
        settings["calibrate"] = name in SOFT
        if name in PRINTED:
            fixed, of_labels = PRINTED[name]
            h = fixed or of_labels * len(set(corpus.column(LABEL).codes.tolist()))
            printed = ASO(variant="paper", n_parts=N_PARTS, h=h, **settings)
            return printed.fit(corpus, label=LABEL)
        if which.isdecimal():
            tasks = parts(corpus, LABEL, N_PARTS)[: int(which)]
            return ASO(n_parts=0, auxiliary=tasks, **settings).fit(corpus, label=LABEL)
        return LinearTagger(**settings).fit(corpus, label=LABEL)

    def _tested(self, name: str) -> Columns:
        """What a model says of the test part."""
        train, test = self._division(name)
        return _columns(name, self._fitted(name, train), test)

    def _cross_fitted(self, name: str) -> Columns:
        """What models say of the training part, each of a block that it has not seen."""
        train, _ = self._division(name)
        blocks = np.array_split(np.arange(len(train)), FOLDS)
        found = []
        for k, block in enumerate(blocks):
            rest = train.select(np.concatenate(blocks[:k] + blocks[k + 1 :]))
            found.append(_columns(name, self._fitted(name, rest), train.select(block)))
        kinds: dict[bool, type[Column]] = {False: Column, True: SoftColumn}
        return {soft: kinds[soft].concatenate([own[soft] for own in found]) for soft in found[0]}


def _columns(name: str, model: Any, corpus: Corpus) -> Columns:
    """A model's labels and, where they are read, its probabilities. Models themselves are large."""
    return {soft: model.column(corpus, soft=soft) for soft in {False, name in SOFT}}


def _lists(corpus: Corpus) -> list[list[str]]:
    return [[str(label) for label in labels] for labels in corpus.lists(LABEL)]
