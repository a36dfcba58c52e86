"""Ways of transfer from entities in news to fields of announcements, with the paper's features.

none      the fields' tagger alone
cascade   it reads the best entity labels, every feature also in conjunction with them
joint     the same weights, decoded together with the entities
soft      it reads probabilities of entity labels, in conjunctions too
stacked   an independent first tagger's labels, and the entity labels, five tokens around
pool      the mean of none and cascade, decoded together with the entities
joint3    as joint, with the parts of speech decoded too
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dovetail import Corpus, Pipeline, Pool, Tagger, Template, column, stack_taggers
from dovetail.compare import Cell, Split, joint_changes
from dovetail.corpus import spans
from dovetail.evaluate.fields import Choice, Looks, choose
from dovetail.features.sets import announcements as paper_features
from dovetail.pipeline import Decode, mentions_of
from experiments.common.shared_models import SharedModels
from experiments.seminars.announcements import TaggedAnnouncements
from experiments.seminars.field_scores import FIELDS, overall_f1, score_fields

SYSTEMS = ("none", "cascade", "joint", "soft", "stacked", "pool", "joint3")
PAPER_C2 = 1.0  # a prior of variance 0.5
C2_GRID = (0.3, 1.0)
PATH_RULES = ("first", "most_frequent")  # those that need nothing but the best labels
FOLDS = 3
TOLERANCE = 3e-3  # of the optimum
ROUGH = 1e-2  # where only a choice depends on it
STACKED_FOLDS = 2
STACKED_WINDOW = 5
TASK, LABEL = "fields", "label"
HOST = ("Host", ":")
EXAMPLES = 6


class Chosen(NamedTuple):
    """What was chosen on a training part alone."""

    c2: float
    choices: dict[str, Choice]


class PaperSystems:
    """The systems above on given splits, with a fixed penalty or one that is chosen for each split
    by cross-validation of ``none``, as the rules for one value a field are."""

    def __init__(
        self,
        announcements: TaggedAnnouncements,
        splits: Sequence[Split],
        c2: float | None = PAPER_C2,
    ) -> None:
        self.announcements = announcements
        self.splits = list(splits)
        self.c2 = c2
        self.plain = paper_features(lexicons=announcements.name_lists)
        self.conjoined = self.plain.with_columns("ner", conjoined=True)
        self._models = SharedModels()

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        units = self.splits[cell.split].train[: cell.size]
        tested = self.splits[cell.split].test
        chosen: Chosen = self._models.get(cell, "chosen", lambda: self.chosen(units))
        pipeline, decode, test = self._system(cell, units, chosen.c2)
        labels = pipeline.predict(test, decode=decode)
        result = score_fields(
            self.announcements.values(tested), plain_looks(test, labels[TASK]), chosen.choices
        )
        result |= {"n_train": cell.size, "n_test": len(tested), "c2": chosen.c2}
        result["rules"] = {field: choice.rule for field, choice in chosen.choices.items()}
        if "ner" in labels:
            result["hosts"] = count_hosts(test, labels["ner"])
        if cell.system == "joint" and cell.split == 0:
            result["changes"] = self._changes(pipeline, test, labels[TASK])
        return result

    def _changes(
        self, pipeline: Pipeline, test: Corpus, joint: Sequence[Sequence[str]]
    ) -> list[dict[str, Any]]:
        """Some mails that joint decoding labels otherwise than the cascade."""
        cascade = pipeline.predict(test, decode="cascade")[TASK]
        pairs = enumerate(zip(cascade, joint, strict=True))
        shown = [number for number, (before, after) in pairs if before != after][:EXAMPLES]
        return joint_changes(pipeline, test.select(shown), [joint[n] for n in shown], TASK, LABEL)

    def chosen(self, units: Sequence[int]) -> Chosen:
        """Penalty and rules, by cross-validation on some mails."""
        best: tuple[float, Chosen] | None = None
        for c2 in C2_GRID if self.c2 is None else (self.c2,):
            truth: list[dict[str, set[str]]] = []
            looks: list[Looks] = []
            for k in range(FOLDS):
                held = units[k::FOLDS]
                rest = [unit for unit in units if unit not in held]
                tagger = self._tagger(self.plain, c2, tolerance=ROUGH)
                tagger.fit(self.announcements.part(rest), label=LABEL)
                part = self.announcements.part(held)
                looks += plain_looks(part, tagger.predict(part))
                truth += self.announcements.values(held)
            choices = choose(truth, looks, FIELDS, rules=PATH_RULES)
            f1 = overall_f1(truth, looks, choices)
            if best is None or f1 > best[0]:
                best = f1, Chosen(c2, choices)
        assert best is not None
        return best[1]

    def _system(
        self, cell: Cell, units: Sequence[int], c2: float
    ) -> tuple[Pipeline, Decode, Corpus]:
        announcements = self.announcements
        tested = self.splits[cell.split].test
        train, test = announcements.part(units), announcements.part(tested)
        ner = {"ner": announcements.taggers["ner"]}

        def none() -> Tagger:
            return self._tagger(self.plain, c2).fit(train, label=LABEL)

        def cascade() -> Any:
            return self._fitted({**ner, TASK: self._tagger(self.conjoined, c2)}, train)[TASK]

        if cell.system == "none":
            alone = self._models.get(cell, "none", none)
            return Pipeline({TASK: alone}, threads=announcements.threads), "cascade", test
        if cell.system == "soft":
            soft = announcements.soft_entities
            tagger = self._tagger(self.conjoined, c2)
            tagger.fit(announcements.part(units, soft), label=LABEL)
            pipeline = Pipeline({TASK: tagger}, threads=announcements.threads)
            return pipeline, "cascade", announcements.part(tested, soft)
        if cell.system == "stacked":
            return self._fitted({**ner, **self._stacked(c2)}, train), "cascade", test
        both = self._models.get(cell, "cascade", cascade)
        if cell.system == "pool":
            pool = Pool([self._models.get(cell, "none", none), both])
            return Pipeline({**ner, TASK: pool}, threads=announcements.threads), "joint", test
        if cell.system == "joint3":
            layers = {**announcements.taggers, TASK: both}
            pipeline = Pipeline(layers, threads=announcements.threads)
            return pipeline, "joint", test.without_column("pos")
        how: Decode = "joint" if cell.system == "joint" else "cascade"
        return Pipeline({**ner, TASK: both}, threads=announcements.threads), how, test

    def _stacked(self, c2: float) -> dict[str, Tagger]:
        layers = stack_taggers(TASK, self.plain, window=STACKED_WINDOW, **self._settings(c2))
        upper = layers[TASK].get_params()["features"]
        around = column("ner").window(STACKED_WINDOW)
        features = Template(*upper.expressions, around, lexicons=upper.lexicons)
        return {**layers, TASK: self._tagger(features, c2)}

    def _fitted(self, layers: Mapping[str, Tagger], train: Corpus) -> Pipeline:
        pipeline = Pipeline(layers, threads=self.announcements.threads)
        trained = [name for name in layers if name not in self.announcements.taggers]
        data = dict.fromkeys(trained, train)
        return pipeline.fit(data, labels=dict.fromkeys(trained, LABEL), folds=STACKED_FOLDS)

    def _settings(self, c2: float) -> dict[str, Any]:
        threads = self.announcements.threads
        return {
            "c2": c2,
            "all_pairs": True,
            "constraints": "IOB2",
            "tolerance": TOLERANCE,
            "threads": threads,
        }

    def _tagger(self, features: Template, c2: float, **settings: Any) -> Tagger:
        return Tagger(features=features, **{**self._settings(c2), **settings})


def plain_looks(corpus: Corpus, labels: Sequence[Sequence[str]]) -> list[Looks]:
    """The fields in labelled mails."""
    pairs = zip(corpus, labels, strict=True)
    return [{0.0: mentions_of(mail, spans(list(own)))} for mail, own in pairs]


def count_hosts(corpus: Corpus, entities: Sequence[Sequence[str]]) -> dict[str, int]:
    """How often "Host:" occurs, and how often the word is taken for an entity or a part of one."""
    n = wrong = 0
    for words, labels in zip(corpus.lists("word"), entities, strict=True):
        for k in range(len(words) - 1):
            if (words[k], words[k + 1]) == HOST:
                n += 1
                wrong += labels[k] != "O"
    return {"tokens": n, "entities": wrong}
