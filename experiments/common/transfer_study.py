"""Transfer to a task with little text of its own from taggers that others' text has trained.

none          the task's tagger alone
recalibrated  the same, recalibrated
cascade       it reads the best labels of the taggers below
soft          it reads their probabilities
lattice       it reads their likeliest labellings
stacked       it reads labels of an independent first tagger of the task, and of those below, around
joint         trained as cascade, and decoded together with the taggers below
joint, weighed  the same, where scores of the taggers below have the weight that was best on a fifth
              of the text, held out: they may be too sure of themselves, or not sure enough
auto          a pool of models with transfer, or none, chosen by cross-validation
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dovetail import Corpus, Pipeline, Tagger, Template, __version__, column, stack_taggers
from dovetail.compare import Cell, Plan, Split, fingerprint
from dovetail.evaluate import evaluate
from dovetail.pipeline import AUTO_METHOD, Decode, Training
from experiments.common.scores import plain_scores
from experiments.common.shared_models import SharedModels

SYSTEMS = ("none", "recalibrated", "cascade", "soft", "stacked", "joint", "auto")
C2_GRID = (0.1, 0.3, 1.0)
FOLDS = 3  # in which the penalty is chosen
STACKED_FOLDS = 2
WEIGHED, WEIGHED_FOLDS = "joint, weighed", 5
STACKED_WINDOW = 5
ROUGH = 1e-2  # tolerance where only a choice depends on it
TASK, LABEL = "task", "label"


@dataclass(frozen=True)
class TransferCase:
    """What is to be learnt from how much of which text, and what may help.

    ``corpus`` has the labels in the column ``label``; splits count its documents, or its sequences
    where it has none. ``reading`` is the template that reads the labels of the taggers ``below``,
    ``features`` the one that does not. ``data_fingerprint``
    stands for the data and for the taggers below.
    """

    corpus: Corpus
    splits: Sequence[Split]
    sizes: Sequence[int]
    below: Mapping[str, Tagger]
    features: Template
    reading: Template
    data_fingerprint: str

    def part(self, units: Sequence[int]) -> Corpus:
        """Some documents or sequences, in their order."""
        bounds = self.corpus.document_bounds
        if bounds is None:
            return self.corpus.select(sorted(units))
        numbers = [s for u in sorted(units) for s in range(int(bounds[u]), int(bounds[u + 1]))]
        return self.corpus.select(numbers)


def draws(pool: Sequence[int], test: Sequence[int], n: int) -> list[Split]:
    """So many random orders of the units to train on, tested on the same units."""
    orders = (np.random.default_rng([0, k]).permutation(list(pool)).tolist() for k in range(n))
    return [Split(tuple(order), tuple(test)) for order in orders]


class TransferStudy:
    """Systems on the splits of a case, with a penalty that is chosen for each split and size, the
    same for all systems: by cross-validation of ``none`` on the training part.

    The case is made when it is first needed.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], TransferCase],
        systems: Sequence[str] = SYSTEMS,
        threads: int | None = 1,
    ) -> None:
        self.name = name
        self._make = make
        self.systems = tuple(systems)
        self.threads = threads
        self._models = SharedModels()

    @cached_property
    def case(self) -> TransferCase:
        """The data, read, with its taggers below."""
        return self._make()

    @property
    def plan(self) -> Plan:
        """Systems x splits x sizes."""
        return Plan(self.systems, len(self.case.splits), self.case.sizes)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        case = self.case
        lists = [repr(lexicon.spec()) for lexicon in case.reading.lexicons.values()]
        settings = repr((C2_GRID, FOLDS, STACKED_FOLDS, STACKED_WINDOW, ROUGH, AUTO_METHOD))
        templates = (str(case.features), str(case.reading))
        data = case.data_fingerprint
        return fingerprint(__version__, self.name, settings, *templates, *lists, data)

    def shares(self, cell: Cell) -> Hashable:
        """Models are those of a split and size."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        split = self.case.splits[cell.split]
        units = split.train[: cell.size]
        train, test = self.case.part(units), self.case.part(split.test)
        c2 = self._models.get(cell, "c2", lambda: self._penalty(units))
        pipeline, decode = self._system(cell, train, c2)
        report = evaluate(test.lists(LABEL), pipeline.predict(test, decode=decode)[TASK])
        overall = plain_scores(report.micro)
        types = {name: plain_scores(counts) for name, counts in report.labels.items()}
        sizes = {"n_train": cell.size, "n_test": len(split.test)}
        return {"overall": overall, "types": types, **sizes, "c2": c2}

    def _penalty(self, units: Sequence[int]) -> float:
        f1 = {}
        for c2 in C2_GRID:
            gold: list[Any] = []
            labels: list[Any] = []
            for k in range(min(FOLDS, len(units))):
                held = units[k::FOLDS]
                rest = [unit for unit in units if unit not in held]
                part = self.case.part(held)
                tagger = self._tagger(self.case.features, c2, tolerance=ROUGH)
                labels += tagger.fit(self.case.part(rest), label=LABEL).predict(part)
                gold += part.lists(LABEL)
            f1[c2] = evaluate(gold, labels).micro.f1
        return max(f1, key=lambda c2: (f1[c2], c2))

    def _system(self, cell: Cell, train: Corpus, c2: float) -> tuple[Pipeline, Decode]:
        case = self.case
        alone = {TASK: self._tagger(case.features, c2)}
        reading = {**case.below, TASK: self._tagger(case.reading, c2)}
        if cell.system == "none":
            return self._fitted(alone, train), "cascade"
        if cell.system == "recalibrated":
            return self._fitted(alone, train, "auto"), "auto"
        if cell.system == "auto":
            return self._fitted(reading, train, "auto"), "auto"
        if cell.system == "soft":
            return self._fitted(reading, train, "soft"), "soft"
        if cell.system == "lattice":
            return self._fitted(reading, train, "lattice"), "lattice"
        if cell.system == "stacked":
            return self._fitted({**case.below, **self._stacked(c2)}, train), "cascade"
        both = self._models.get(cell, "cascade", lambda: self._fitted(reading, train))
        if cell.system == WEIGHED:
            return both.with_weights(**self._weights(cell, reading)), "joint"
        return both, "joint" if cell.system == "joint" else "cascade"

    def _weights(self, cell: Cell, reading: Mapping[str, Tagger]) -> Mapping[str, float]:
        """Of the scores of layers, by joint decoding of text held out."""
        units = self.case.splits[cell.split].train[: cell.size]
        held = units[WEIGHED_FOLDS - 1 :: WEIGHED_FOLDS]
        rest = self.case.part([unit for unit in units if unit not in held])
        pipeline = self._fitted({**reading, TASK: reading[TASK].clone()}, rest)
        pipeline.tune(self.case.part(held), tasks=[TASK], labels={TASK: LABEL})
        return {name: weight for name, weight in pipeline.weights.items() if name != TASK}

    def _stacked(self, c2: float) -> dict[str, Tagger]:
        layers = stack_taggers(
            TASK, self.case.features, window=STACKED_WINDOW, **self._settings(c2)
        )
        upper = layers[TASK].get_params()["features"]
        around = [column(name).window(STACKED_WINDOW) for name in self.case.below]
        features = Template(*upper.expressions, *around, lexicons=upper.lexicons)
        return {**layers, TASK: self._tagger(features, c2)}

    def _fitted(
        self, layers: Mapping[str, Tagger], train: Corpus, training: Training = "cascade"
    ) -> Pipeline:
        trained = [name for name in layers if name not in self.case.below]
        data, labels = dict.fromkeys(trained, train), dict.fromkeys(trained, LABEL)
        settings: dict[str, Any] = {"folds": STACKED_FOLDS} if len(trained) > 1 else {}
        pipeline = Pipeline(layers, threads=self.threads)
        return pipeline.fit(data, training=training, labels=labels, **settings)

    def _settings(self, c2: float) -> dict[str, Any]:
        return {"c2": c2, "constraints": "IOB2", "threads": self.threads}

    def _tagger(self, features: Template, c2: float, **settings: Any) -> Tagger:
        return Tagger(features=features, **self._settings(c2), **settings)
