"""Do gains add up? States of unlabelled text, shared structure and transfer, each left out in turn.

none             the task's tagger alone
recalibrated     the same, recalibrated: `auto` with nothing below
all three        states of hidden Markov models are features; `auto` on top of a tagger of entities
                 in news (NER) and of a linear tagger of the task itself that shares directions with
                 the labels of news (ASO)
without ...      the same without one of these
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from dovetail import ASO, HMM, Corpus, LayeredHMM, LinearTagger, Pipeline, Tagger, column, load
from dovetail.compare import Cell, Plan, fingerprint
from dovetail.evaluate import evaluate
from dovetail.features.sets import default, fields
from dovetail.multitask import AuxiliaryTask, labelled
from dovetail.pipeline import AUTO_METHOD
from experiments.common.auxiliary_taggers import load_news_taggers
from experiments.common.code_fingerprint import module_fingerprint
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.common.scores import plain_scores
from experiments.common.transfer_study import LABEL, TASK, TransferCase
from experiments.readers.crossner import DOMAINS
from experiments.seminars.announcements import TaggedAnnouncements
from experiments.transfer import crossner

DATA = ("seminars", "crossner", "conll2003")
WITHOUT = "without "
STATES, SHARED, NER = PARTS = ("states", "ASO", "NER")
ALONE, RECALIBRATED, ALL = "none", "recalibrated", "all three"
SYSTEMS = (ALONE, RECALIBRATED, ALL, *(WITHOUT + part for part in PARTS))
LAYERS, N_STATES, VALUE = 3, 80, 0.2
SENTENCES, MAILS = (50, 100), (10, 20, 80, 242)
QUICK = ("CrossNER ai",)
WORD = "word"


@dataclass(frozen=True)
class TogetherExperiment(Experiment):
    """Fields of seminar announcements and entities of five domains; with ``quick`` one domain.
    ``cases`` and ``sizes`` name some alone."""

    cases: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, TogetherStudy]:
        """The cases by name."""
        data_sets = DataSets(self.data, self.n_sentences)
        news = load_news_taggers(data_sets, self.out, threads=threads, say=say)
        text = data_sets.news()
        shared = labelled(text, "ner")
        made: dict[str, Callable[[], TransferCase]] = {}
        for domain in DOMAINS:
            folder = self.data / "crossner" / domain
            made[f"CrossNER {domain}"] = partial(
                crossner.drawn_case, folder, news, self.n_draws, SENTENCES
            )
        made["seminars"] = partial(self._seminars, say)
        chosen = QUICK if self.quick else self.cases or tuple(made)

        @cache
        def states() -> LayeredHMM:
            parts = [text, *(_words(make().corpus) for make in made.values())]
            return learn_states([_words(part) for part in parts], self.out, say)

        return {
            name: TogetherStudy(name, make, states, shared, self.sizes)
            for name, make in made.items()
            if name in chosen
        }

    def _seminars(self, say: Say | None) -> TransferCase:
        announcements = TaggedAnnouncements(
            DataSets(self.data, self.n_sentences), self.out, threads=1, say=say
        )
        features = fields(WORD, "pos", lexicons=announcements.lists_with_rooms)
        mails = "\0".join(announcements.mails.texts or ())
        return TransferCase(
            announcements.mails,
            announcements.splits(self.n_draws),
            MAILS,
            {"ner": announcements.taggers["ner"]},
            features,
            features,
            fingerprint(mails, announcements.taggers_fingerprint),
        )


class TogetherStudy:
    """All systems on the same splits of a case."""

    def __init__(
        self,
        name: str,
        make: Callable[[], TransferCase],
        states: Callable[[], LayeredHMM],
        shared: AuxiliaryTask,
        sizes: Sequence[int] = (),
    ) -> None:
        self.name, self.make, self.states, self.shared = name, make, states, shared
        self.sizes = tuple(sizes)

    @cached_property
    def case(self) -> TransferCase:
        """The data, with states as columns."""
        case = self.make()
        return replace(case, corpus=self.states().annotate(case.corpus))

    @property
    def plan(self) -> Plan:
        """Systems x splits x sizes."""
        sizes = [n for n in self.case.sizes if n in self.sizes or not self.sizes]
        return Plan(SYSTEMS, len(self.case.splits), sizes)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        settings = repr((LAYERS, N_STATES, VALUE, AUTO_METHOD, str(self.case.features)))
        code = module_fingerprint(ASO)
        states = sha256(self.states().to_bytes()).hexdigest()
        return fingerprint(self.name, settings, code, states, self.case.data_fingerprint)

    def shares(self, cell: Cell) -> Hashable:
        """Nothing but the data."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        split = self.case.splits[cell.split]
        train = self.case.part(split.train[: cell.size])
        test = self.case.part(split.test)
        pipeline = self.pipeline(cell.system)
        own = [name for name in pipeline.names if name not in self.case.below]
        labels = dict.fromkeys(own, LABEL)
        pipeline.fit(dict.fromkeys(own, train), labels=labels)
        predicted = pipeline.predict(test.without_column(LABEL))[TASK]
        report = evaluate(test.lists(LABEL), predicted)
        return {
            "overall": plain_scores(report.micro),
            "types": {name: plain_scores(counts) for name, counts in report.labels.items()},
            "n_train": cell.size,
            "n_test": len(split.test),
            "notes": pipeline.notes_,
        }

    def pipeline(self, system: str) -> Pipeline:
        """A system, not yet trained."""
        left_out = PARTS if system in (ALONE, RECALIBRATED) else (system.removeprefix(WITHOUT),)
        used = {*PARTS}.difference(left_out)
        layers: dict[str, Tagger | LinearTagger] = dict(self.case.below) if NER in used else {}
        if SHARED in used:
            words = default((WORD,), spans=True)
            layers["aso"] = ASO(features=words, n_parts=0, auxiliary=[self.shared], threads=1)
        features = self.case.features
        if STATES in used:
            features = features.with_features(*(VALUE * column(n) for n in self.states().names_))
        layers[TASK] = Tagger(features=features, constraints="IOB2", threads=1)
        return Pipeline(layers, decode="cascade" if system == ALONE else "auto", threads=1)


def learn_states(texts: Sequence[Corpus], kept: Path, say: Say | None = None) -> LayeredHMM:
    """States of words, learned without labels, from the folder where they are kept, or now."""
    words = "\0".join(word or "" for text in texts for s in text.lists(WORD) for word in s)
    path = kept / f"states-{fingerprint(repr((LAYERS, N_STATES, VALUE)), words)[:12]}.dovetail"
    if path.exists():
        found = load(path, threads=1)
        assert isinstance(found, LayeredHMM)
        return found
    if say is not None:
        say("learning states of words")
    found = LayeredHMM(LAYERS, HMM(N_STATES, value=VALUE, threads=1)).fit(texts)
    found.save(path)
    return found


def _words(corpus: Corpus) -> Corpus:
    return Corpus({WORD: corpus.column(WORD)}, corpus.bounds)
