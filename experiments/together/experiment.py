"""Do gains add up? Taggers below, recalibration and representations of unlabelled text, together.

none, recalibrated, auto   as in the other cases of transfer
states ...                 the same, with states of hidden Markov models as further features: seven
                           layers, learned from all text of the case and from news, without labels
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from dovetail import HMM, Corpus, LayeredHMM, Template, column
from dovetail.compare import Cell, Plan, fingerprint
from dovetail.features.sets import fields
from experiments.common.auxiliary_taggers import load_news_taggers
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.common.transfer_study import TransferCase, TransferStudy
from experiments.readers.crossner import DOMAINS
from experiments.seminars.announcements import TaggedAnnouncements
from experiments.transfer import crossner

DATA = ("seminars", "crossner", "conll2003")
ALONE = ("none", "recalibrated", "auto")
PREFIX = "states "
SYSTEMS = (*ALONE, *(PREFIX + system for system in ALONE))
LAYERS, STATES, VALUE = 7, 80, 0.2
MAILS = (20, 80)
QUICK = ("CrossNER ai",)
WORD = "word"


@dataclass(frozen=True)
class TogetherExperiment(Experiment):
    """Fields of seminar announcements and entities of five domains; with ``quick`` one domain."""

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, TogetherStudy]:
        """The cases by name."""
        data_sets = DataSets(self.data, self.n_sentences)
        news = load_news_taggers(data_sets, self.out, threads=threads, say=say)
        text = _words(data_sets.news())
        made: dict[str, Callable[[], TransferCase]] = {}
        for domain in DOMAINS:
            folder = self.data / "crossner" / domain
            made[f"CrossNER {domain}"] = partial(crossner.drawn_case, folder, news, self.n_draws)
        made["seminars"] = partial(self._seminars, say)
        if self.quick:
            made = {name: made[name] for name in QUICK}
        return {name: TogetherStudy(name, make, text) for name, make in made.items()}

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
            features.with_columns("ner"),
            fingerprint(mails, announcements.taggers_fingerprint),
        )


class TogetherStudy:
    """A case with a representation and without, all systems on the same splits."""

    def __init__(self, name: str, make: Callable[[], TransferCase], text: Corpus) -> None:
        self.plain = TransferStudy(name, make, ALONE)
        self.text = text

    @cached_property
    def represented(self) -> TransferStudy:
        """The study with states of all text."""
        return TransferStudy(
            self.plain.name, lambda: with_states(self.plain.case, self.text), self.plain.systems
        )

    @property
    def plan(self) -> Plan:
        """Systems x splits x sizes."""
        return replace(self.plain.plan, systems=SYSTEMS)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        words = "\0".join(word or "" for s in self.text.lists(WORD) for word in s)
        settings = repr((SYSTEMS, LAYERS, STATES, VALUE))
        return fingerprint(self.plain.fingerprint, settings, words)

    def shares(self, cell: Cell) -> Hashable:
        """Models are those of a split and size."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        if cell.system.startswith(PREFIX):
            own = replace(cell, system=cell.system.removeprefix(PREFIX))
            return self.represented.work(own)
        return self.plain.work(cell)


def with_states(case: TransferCase, text: Corpus) -> TransferCase:
    """A case whose features also have the states of words, learned without labels."""
    layered = LayeredHMM(LAYERS, HMM(STATES, value=VALUE, threads=1))
    layered.fit([_words(case.corpus), text])

    def more(template: Template) -> Template:
        states = [column(name) for name in layered.names_]
        tables, lexicons = template.tables, template.lexicons
        return Template(*template.expressions, *states, tables=tables, lexicons=lexicons)

    corpus = layered.annotate(case.corpus)
    return replace(case, corpus=corpus, features=more(case.features), reading=more(case.reading))


def _words(corpus: Corpus) -> Corpus:
    return Corpus({WORD: corpus.column(WORD)}, corpus.bounds)
