"""Our own best: richer features, values taken by rules and a second look, and transfer by ``auto``.

none          no transfer, the most frequent value of each field
none eager    the same tagger, recalibrated, with a second look where no value is found; another
              rule or eagerness where it is clearly better on held-out parts of the training text
auto          with the tasks below, recalibrated, the most frequent value of each field
auto eager    the same, with a second look
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from dovetail import Pipeline, Tagger
from dovetail.compare import Cell, Split
from dovetail.corpus import Corpus, convert
from dovetail.evaluate.fields import Choice, Looks
from dovetail.features.sets import fields
from dovetail.pipeline.annotators import Annotator
from dovetail.pipeline.auto import without_transfer
from dovetail.pipeline.extraction import choose_values, look
from dovetail.reproduce.material import FIELDS, Material, scored

SYSTEMS = ("none", "none eager", "auto", "auto eager")
C2 = 0.1
TOLERANCE = 0.1  # certified; the objective is within 0.5 % of its optimum
FINE = 100  # mails from which ends of fields have labels of their own
TASK = "fields"
Scheme = Literal["IOB2", "IOBES"]
PLAIN = {field: Choice() for field in FIELDS}


class Tried(NamedTuple):
    """A trained system: what it finds in the test part, and how values are taken."""

    looks: list[Looks]
    choices: dict[str, Choice]


class BestStudy:
    """The four systems above; all of a split and size are made of the same models."""

    def __init__(self, material: Material, splits: Sequence[Split]) -> None:
        self.material = material
        self.splits = list(splits)
        self.features = fields("word", "pos", lexicons=material.lists_with_rooms)
        self._kept: tuple[tuple[int, int], dict[str, Tried]] = ((-1, -1), {})

    def work(self, cell: Cell) -> dict[str, Any]:
        """Score one system; the models are trained for the first of them."""
        split = self.splits[cell.split]
        if self._kept[0] != (cell.split, cell.size):
            tried = self._tried(split.train[: cell.size], split.test)
            self._kept = (cell.split, cell.size), tried
        looks, choices = self._kept[1][cell.system]
        result = scored(self.material.values(split.test), looks, choices)
        result |= {"n_train": cell.size, "n_test": len(split.test), "c2": C2}
        result["rules"] = {field: choice.rule for field, choice in choices.items()}
        result["eagerness"] = {field: choice.eagerness for field, choice in choices.items()}
        return result

    def _tried(self, units: Sequence[int], tested: Sequence[int]) -> dict[str, Tried]:
        scheme: Scheme = "IOBES" if len(units) >= FINE else "IOB2"
        train, test = (self._part(part, scheme) for part in (units, tested))
        threads = self.material.threads
        tagger = Tagger(
            features=self.features, c2=C2, constraints=scheme, tolerance=TOLERANCE, threads=threads
        )
        layers = {"ner": self.material.lower["ner"], TASK: tagger}
        auto = Pipeline(layers, decode="auto", threads=threads)
        auto.fit({TASK: train}, labels={TASK: TASK}, folds=folds_for(len(units)))
        plain = Pipeline({TASK: _first_member(auto)}, decode="cascade", threads=threads)
        alone = without_transfer(auto)
        out = {"none": Tried(look(plain, test, FIELDS), PLAIN)}
        for name, pipeline in (("none eager", alone), ("auto eager", auto)):
            choices = choose_values(pipeline, FIELDS)
            amounts = [choice.eagerness for choice in choices.values()]
            out[name] = Tried(look(pipeline, test, FIELDS, amounts), choices)
        out["auto"] = Tried(look(auto, test, FIELDS), PLAIN)
        return out

    def _part(self, units: Sequence[int], scheme: Scheme) -> Corpus:
        part = self.material.part(units)
        labels = [convert(labels, "IOB2", scheme) for labels in part.lists("label")]
        return part.without_column("label").with_column(TASK, labels)


def folds_for(n_mails: int) -> int:
    """The less text, the more of it a model in cross-validation should see."""
    return 10 if n_mails <= 10 else 5 if n_mails <= 20 else 3


def _first_member(pipeline: Pipeline) -> Annotator:
    assert pipeline.candidates_ is not None
    return pipeline.candidates_.members[0].annotator
