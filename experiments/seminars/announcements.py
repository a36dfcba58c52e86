"""The seminar announcements: mails, true values of their fields, splits, auxiliary taggers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np

from dovetail import Corpus, Lexicon
from dovetail.compare import Split, grouped_splits, random_splits
from dovetail.corpus import Column, SoftColumn, near_duplicates
from experiments.common.auxiliary_taggers import load_news_taggers
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Say

LEAST = 0.01  # smaller probabilities of entities are left out of soft columns
HEADER = re.compile(r"\A(?:.*\n)*?\s*\n")  # up to the first empty line


class Announcements:
    """The mails, and how they are divided; on request only so many of them."""

    def __init__(self, data_sets: DataSets, n_mails: int | None = None) -> None:
        self.mails = data_sets.mails()[:n_mails]

    def splits(self, n_splits: int) -> list[Split]:
        """Random halves."""
        return random_splits(len(self.mails), n_splits)

    def splits_without_copies(self, n_splits: int) -> list[Split]:
        """Halves between which no mail is a near-copy of another."""
        return grouped_splits(self.groups, n_splits)

    @cached_property
    def groups(self) -> list[int]:
        """A number for each mail, the same for near-copies."""
        return near_duplicates([mail_body(text) for text in self.mails.texts or ()])


class TaggedAnnouncements(Announcements):
    """The mails with their parts of speech, and all that is needed to tag and to score them."""

    def __init__(
        self,
        data_sets: DataSets,
        kept: Path,
        *,
        n_mails: int | None = None,
        threads: int | None = None,
        say: Say | None = None,
    ) -> None:
        super().__init__(data_sets, n_mails)
        self.threads = threads
        below = load_news_taggers(data_sets, kept, threads=threads, say=say)
        self.taggers, self.taggers_fingerprint = below.taggers, below.fingerprint
        self.mails = self.mails.with_column("pos", self.taggers["pos"].predict(self.mails))
        self.truth = data_sets.truth()[:n_mails]
        self.name_lists: dict[str, Lexicon] = data_sets.name_lists()
        self.lists_with_rooms: dict[str, Lexicon] = data_sets.name_lists(room=("room_words",))

    @cached_property
    def entities(self) -> Column:
        """The best entity labels of all mails."""
        labels = self.taggers["ner"].predict(self.mails)
        return Column.from_values(label for mail in labels for label in mail)

    @cached_property
    def soft_entities(self) -> SoftColumn:
        """Probabilities of entity labels in all mails, without the very small ones."""
        ner = self.taggers["ner"]
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


def mail_body(text: str) -> str:
    """A mail without its header, which ends at the first empty line.

    >>> mail_body("Time: 3 pm\\n\\nAll are welcome")
    'All are welcome'
    """
    return HEADER.sub("", text, count=1)
