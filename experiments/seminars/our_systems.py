"""Our own systems: richer features, the default prior, values by rules and a second look, and
transfer by ``auto``.

none          no transfer, the most frequent value of each field
none eager    the same tagger, recalibrated, with a second look where no value is found; another
              rule or recall bias where it is significantly better on held-out parts of the training
              text
auto          with the tasks below, recalibrated, the most frequent value of each field
auto eager    the same, with a second look
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from dovetail import Corpus, Pipeline, Tagger
from dovetail.compare import Cell, Split
from dovetail.corpus import convert
from dovetail.evaluate.fields import Choice, Looks
from dovetail.features.sets import fields
from dovetail.pipeline import choose_values, look
from experiments.common.shared_models import SharedModels
from experiments.seminars.announcements import TaggedAnnouncements
from experiments.seminars.field_scores import FIELDS, score_fields

SYSTEMS = ("none", "none eager", "auto", "auto eager")
TOLERANCE = 0.1  # certified; the objective is within 0.5 % of its optimum
IOBES_FROM = 100  # mails from which ends of fields have labels of their own
TASK = "fields"
Scheme = Literal["IOB2", "IOBES"]
MOST_FREQUENT = {field: Choice() for field in FIELDS}


class TrainedSystem(NamedTuple):
    """A trained system: what it finds in the test part, and how values are taken."""

    looks: list[Looks]
    choices: dict[str, Choice]


class OurSystems:
    """The four systems above; all of a split and size are made of the same models."""

    def __init__(self, announcements: TaggedAnnouncements, splits: Sequence[Split]) -> None:
        self.announcements = announcements
        self.splits = list(splits)
        self.features = fields("word", "pos", lexicons=announcements.lists_with_rooms)
        self._models = SharedModels()

    def work(self, cell: Cell) -> dict[str, Any]:
        """Score one system; the models are trained for the first of them."""
        split = self.splits[cell.split]
        systems: dict[str, TrainedSystem] = self._models.get(
            cell, "systems", lambda: self._train(split.train[: cell.size], split.test)
        )
        looks, choices = systems[cell.system]
        result = score_fields(self.announcements.values(split.test), looks, choices)
        result |= {"n_train": cell.size, "n_test": len(split.test)}
        result["rules"] = {field: choice.rule for field, choice in choices.items()}
        result["eagerness"] = {field: choice.recall_bias for field, choice in choices.items()}
        return result

    def _train(self, units: Sequence[int], tested: Sequence[int]) -> dict[str, TrainedSystem]:
        scheme: Scheme = "IOBES" if len(units) >= IOBES_FROM else "IOB2"
        train, test = (self._part(part, scheme) for part in (units, tested))
        threads = self.announcements.threads
        settings: dict[str, Any] = {"tolerance": TOLERANCE, "threads": threads}

        def tagger() -> Tagger:
            return Tagger(features=self.features, constraints=scheme, **settings)

        layers = {"ner": self.announcements.taggers["ner"], TASK: tagger()}
        auto = Pipeline(layers, decode="auto", threads=threads)
        auto.fit({TASK: train}, labels={TASK: TASK}, folds=folds_for(len(units)))
        alone = {TASK: tagger().fit(train, label=TASK)}
        plain = Pipeline(alone, decode="cascade", threads=threads)
        out = {"none": TrainedSystem(look(plain, test, FIELDS), MOST_FREQUENT)}
        for name, pipeline in (("none eager", auto.without_transfer()), ("auto eager", auto)):
            choices = choose_values(pipeline, FIELDS)
            amounts = [choice.recall_bias for choice in choices.values()]
            out[name] = TrainedSystem(look(pipeline, test, FIELDS, amounts), choices)
        out["auto"] = TrainedSystem(look(auto, test, FIELDS), MOST_FREQUENT)
        return out

    def _part(self, units: Sequence[int], scheme: Scheme) -> Corpus:
        part = self.announcements.part(units)
        labels = [convert(labels, "IOB2", scheme) for labels in part.lists("label")]
        return part.without_column("label").with_column(TASK, labels)


def folds_for(n_mails: int) -> int:
    """The less text, the more of it a model in cross-validation should see."""
    return 10 if n_mails <= 10 else 5 if n_mails <= 20 else 3
