"""Our own best: richer features, a penalty and rules chosen for each training part, a second look.

plain     the most frequent value on the best path
rules     a rule for each field
eager     rules, and a second look where a field was not found
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail import Pipeline, Tagger
from dovetail.compare import Cell, Split
from dovetail.corpus import Corpus, convert
from dovetail.evaluate.fields import Choice, Looks, choose
from dovetail.features.sets import fields
from dovetail.pipeline.extraction import look
from dovetail.reproduce.material import FIELDS, Material, overall_f1, scored

SYSTEMS = ("plain", "rules", "eager")
TRIED_C2 = (0.1, 0.3)
EAGERNESS = (0.0, 0.5, 1.0, 1.5, 2.0)
FOLDS = 3
ROUGH = 1e-2
LABEL = "label"
PLAIN = {field: Choice() for field in FIELDS}


class Chosen(NamedTuple):
    """What was chosen on a training part alone."""

    c2: float
    rules: dict[str, Choice]
    eager: dict[str, Choice]


class BestStudy:
    """The three ways of taking values from one tagger without transfer."""

    def __init__(self, material: Material, splits: Sequence[Split]) -> None:
        self.material = material
        self.splits = list(splits)
        self.features = fields("word", "pos", lexicons=material.lists_with_rooms)
        self._kept: tuple[tuple[int, int], Chosen, list[Looks]] | None = None

    def work(self, cell: Cell) -> dict[str, Any]:
        """Score one way; the tagger is trained for the first of them."""
        split = self.splits[cell.split]
        if self._kept is None or self._kept[0] != (cell.split, cell.size):
            units = split.train[: cell.size]
            chosen = self.chosen(units)
            pipeline = self._trained(units, chosen.c2)
            amounts = [choice.eagerness for choice in chosen.eager.values()]
            looks = look(pipeline, self._part(split.test), FIELDS, amounts)
            self._kept = (cell.split, cell.size), chosen, looks
        _, chosen, looks = self._kept
        choices = {"plain": PLAIN, "rules": chosen.rules, "eager": chosen.eager}[cell.system]
        result = scored(self.material.values(split.test), looks, choices)
        result |= {"n_train": cell.size, "n_test": len(split.test), "c2": chosen.c2}
        result["rules"] = {field: choice.rule for field, choice in choices.items()}
        result["eagerness"] = {field: choice.eagerness for field, choice in choices.items()}
        return result

    def chosen(self, units: Sequence[int]) -> Chosen:
        """Penalty, rules and eagerness, by cross-validation on some mails."""
        best: tuple[float, Chosen] | None = None
        for c2 in TRIED_C2:
            truth: list[dict[str, set[str]]] = []
            looks: list[Looks] = []
            for k in range(FOLDS):
                held = units[k::FOLDS]
                rest = [unit for unit in units if unit not in held]
                pipeline = self._trained(rest, c2, tolerance=ROUGH)
                looks += look(pipeline, self._part(held), FIELDS, EAGERNESS)
                truth += self.material.values(held)
            rules = choose(truth, looks, FIELDS)
            eager = choose(truth, looks, FIELDS, eagerness=EAGERNESS)
            f1 = overall_f1(truth, looks, eager)
            if best is None or f1 > best[0]:
                best = f1, Chosen(c2, rules, eager)
        assert best is not None
        return best[1]

    def _trained(self, units: Sequence[int], c2: float, **settings: Any) -> Pipeline:
        threads = self.material.threads
        tagger = Tagger(
            features=self.features, c2=c2, constraints="IOBES", threads=threads, **settings
        )
        return Pipeline({LABEL: tagger.fit(self._part(units), label=LABEL)}, threads=threads)

    def _part(self, units: Sequence[int]) -> Corpus:
        part = self.material.part(units)
        labels = [convert(labels, "IOB2", "IOBES") for labels in part.lists(LABEL)]
        return part.with_column(LABEL, labels)
