"""Cases of transfer: a task with little text of its own, and taggers that others' text has trained.

none          the task's tagger alone
recalibrated  the same, recalibrated
cascade       it reads the best labels of the taggers below
soft          it reads their probabilities
stacked       it reads labels of an independent first tagger of the task, and of those below, around
joint         trained as cascade, and decoded together with the taggers below
auto          a pool of models with transfer, or none, chosen by cross-validation
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import Pipeline, Tagger, Template, __version__, column, stacked
from dovetail.compare import Cell, Plan, Split, fingerprint
from dovetail.corpus import Corpus
from dovetail.evaluate import evaluate
from dovetail.pipeline.auto import METHOD

if TYPE_CHECKING:
    from dovetail.pipeline.choices import Decode, Training

SYSTEMS = ("none", "recalibrated", "cascade", "soft", "stacked", "joint", "auto")
TRIED_C2 = (0.1, 0.3, 1.0)
FOLDS = 3  # in which the penalty is chosen
STACKED_FOLDS = 2
STACKED_WINDOW = 5
ROUGH = 1e-2  # tolerance where only a choice depends on it
TASK, LABEL = "task", "label"


@dataclass(frozen=True)
class Case:
    """What is to be learnt from how much of which text, and what may help.

    ``corpus`` has the labels in the column ``label``; splits count its documents, or its sequences
    where it has none. ``reading`` is the template that reads the labels of the taggers ``below``,
    ``features`` the one that does not. ``mark`` stands for the data and for the taggers below.
    """

    corpus: Corpus
    splits: Sequence[Split]
    sizes: Sequence[int]
    below: Mapping[str, Tagger]
    features: Template
    reading: Template
    mark: str

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


class CaseStudy:
    """Systems on the splits of a case, with a penalty that is chosen for each split and size, the
    same for all systems: by cross-validation of ``none`` on the training part.

    The case is made when it is first needed.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Case],
        systems: Sequence[str] = SYSTEMS,
        threads: int | None = 1,
    ) -> None:
        self.name = name
        self._make = make
        self.systems = tuple(systems)
        self.threads = threads
        self._kept: tuple[tuple[int, int], dict[str, Any]] = ((-1, -1), {})

    @cached_property
    def case(self) -> Case:
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
        settings = repr((TRIED_C2, FOLDS, STACKED_FOLDS, STACKED_WINDOW, ROUGH, METHOD))
        templates = (str(case.features), str(case.reading))
        return fingerprint(__version__, self.name, settings, *templates, *lists, case.mark)

    def shares(self, cell: Cell) -> Hashable:
        """Models are those of a split and size."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        split = self.case.splits[cell.split]
        units = split.train[: cell.size]
        train, test = self.case.part(units), self.case.part(split.test)
        c2 = self._once(cell, "c2", lambda: self._penalty(units))
        pipeline, decode = self._system(cell, train, c2)
        report = evaluate(test.lists(LABEL), pipeline.predict(test, decode=decode)[TASK])
        overall = _scores(report.micro)
        types = {name: _scores(counts) for name, counts in report.labels.items()}
        sizes = {"n_train": cell.size, "n_test": len(split.test)}
        return {"overall": overall, "types": types, **sizes, "c2": c2}

    def _penalty(self, units: Sequence[int]) -> float:
        found = {}
        for c2 in TRIED_C2:
            gold: list[Any] = []
            labels: list[Any] = []
            for k in range(min(FOLDS, len(units))):
                held = units[k::FOLDS]
                rest = [unit for unit in units if unit not in held]
                part = self.case.part(held)
                tagger = self._tagger(self.case.features, c2, tolerance=ROUGH)
                labels += tagger.fit(self.case.part(rest), label=LABEL).predict(part)
                gold += part.lists(LABEL)
            found[c2] = evaluate(gold, labels).micro.f1
        return max(found, key=lambda c2: (found[c2], c2))

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
        if cell.system == "stacked":
            return self._fitted({**case.below, **self._stacked(c2)}, train), "cascade"
        both = self._once(cell, "cascade", lambda: self._fitted(reading, train))
        return both, "joint" if cell.system == "joint" else "cascade"

    def _stacked(self, c2: float) -> dict[str, Tagger]:
        layers = stacked(TASK, self.case.features, window=STACKED_WINDOW, **self._settings(c2))
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

    def _once(self, cell: Cell, name: str, make: Callable[[], Any]) -> Any:
        """What several systems of one split and size share."""
        if self._kept[0] != (cell.split, cell.size):
            self._kept = ((cell.split, cell.size), {})
        kept = self._kept[1]
        if name not in kept:
            kept[name] = make()
        return kept[name]


def _scores(counts: Any) -> dict[str, float]:
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
