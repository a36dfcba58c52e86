"""What all studies of the seminar announcements share: mails, true values, lower taggers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from dovetail.compare import Split, random_splits
from dovetail.corpus import Column, Corpus, SoftColumn
from dovetail.evaluate.fields import Choice, Looks, score_values, taken
from dovetail.evaluate.report import Counts
from dovetail.features import Lexicon
from dovetail.reproduce.lower import Say, lower_taggers
from dovetail.reproduce.near_copies import body, near_copies, split_by_groups
from dovetail.reproduce.sources import Sources

FIELDS = ("stime", "etime", "location", "speaker")
LEAST = 0.01  # smaller probabilities of entities are left out of soft columns
OUTCOMES = {"right": "r", "wrong": "w", "missed": "m", "spurious": "s", "absent": "-"}


class Material:
    """The announcements with their parts of speech, and all that is needed to score them.

    ``n_mails`` and ``n_sentences`` make a smaller experiment, of so many mails and with lower
    taggers from so many sentences.
    """

    def __init__(
        self,
        data: Path,
        kept: Path,
        *,
        threads: int | None = None,
        n_mails: int | None = None,
        n_sentences: int | None = None,
        say: Say | None = None,
    ) -> None:
        sources = Sources(data, n_sentences)
        self.threads = threads
        below = lower_taggers(sources, kept, threads=threads, say=say)
        self.lower, self.lower_mark = below.taggers, below.mark
        mails = sources.mails()[:n_mails]
        self.mails = mails.with_column("pos", self.lower["pos"].predict(mails))
        self.truth = sources.truth()[:n_mails]
        self.name_lists: dict[str, Lexicon] = sources.name_lists()
        self.lists_with_rooms: dict[str, Lexicon] = sources.name_lists(room=("room_words",))

    def splits(self, n_splits: int) -> list[Split]:
        """Random halves."""
        return random_splits(len(self.mails), n_splits)

    def splits_without_copies(self, n_splits: int) -> list[Split]:
        """Halves between which no mail is a near-copy of another."""
        return split_by_groups(self.groups, n_splits)

    @cached_property
    def groups(self) -> list[int]:
        """A number for each mail, the same for near-copies."""
        return near_copies([body(text) for text in self.mails.texts or ()])

    @cached_property
    def entities(self) -> Column:
        """The best entity labels of all mails."""
        labels = self.lower["ner"].predict(self.mails)
        return Column.from_values(label for mail in labels for label in mail)

    @cached_property
    def soft_entities(self) -> SoftColumn:
        """Probabilities of entity labels in all mails, without the very small ones."""
        ner = self.lower["ner"]
        rows = [list(token.values()) for s in ner.predict_marginals(self.mails) for token in s]
        weights = np.array(rows)
        return SoftColumn.of(ner.labels_, np.where(weights < LEAST, 0, weights))

    def part(self, units: Iterable[int], ner: Column | None = None) -> Corpus:
        """Some of the mails, in their order, on request with a column of entities."""
        mails = self.mails if ner is None else self.mails.with_column("ner", ner)
        return mails.select(sorted(units))

    def values(self, units: Iterable[int]) -> list[dict[str, set[str]]]:
        """The true values of some of the mails, in their order."""
        return [self.truth[unit] for unit in sorted(units)]


def by_field(counts: Mapping[str, Counts]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each field."""
    none = Counts(0, 0, 0)
    found = {field: counts.get(field, none) for field in FIELDS}
    return {
        field: {"precision": c.precision, "recall": c.recall, "f1": c.f1}
        for field, c in found.items()
    }


def overall(types: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The mean over the fields, which is what the paper calls overall."""
    names = ("precision", "recall", "f1")
    return {name: sum(types[field][name] for field in FIELDS) / len(FIELDS) for name in names}


def overall_f1(
    truth: Sequence[dict[str, set[str]]], looks: Sequence[Looks], choices: Mapping[str, Choice]
) -> float:
    """The mean F1 of the fields, of values taken as the choices say."""
    return overall(by_field(score_values(truth, [taken(one, choices) for one in looks])))["f1"]


def scored(
    truth: Sequence[dict[str, set[str]]], looks: Sequence[Looks], choices: dict[str, Choice]
) -> dict[str, object]:
    """What is kept of a test: scores, and a letter for each field and document."""
    found = [taken(document, choices) for document in looks]
    letters = dict.fromkeys(FIELDS, "")
    for true, values in zip(truth, found, strict=True):
        for field in FIELDS:
            known, value = true.get(field, set()), values.get(field)
            if value is None:
                letters[field] += OUTCOMES["missed" if known else "absent"]
            elif value in known:
                letters[field] += OUTCOMES["right"]
            else:
                letters[field] += OUTCOMES["wrong" if known else "spurious"]
    types = by_field(score_values(truth, found))
    return {"overall": overall(types), "types": types, "outcomes": letters}
