"""Linear taggers on random sentences of a domain, alone and with auxiliary tasks.

linear           a classifier for each label
ASO              the same with what parts of its own text share
ASO, printed     the algorithm as He et al. (2009) print it, with a direction for each label
ASO, news        with what the labels of entities in news share
ASO, unlabelled  with what neighbouring words share, in text without labels
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.optimize  # noqa: F401 - here, so that no training has to wait for it

from dovetail import ASO, Corpus, LinearTagger, __version__
from dovetail.compare import Cell, Plan, Split, fingerprint
from dovetail.corpus import read_text
from dovetail.evaluate import evaluate
from dovetail.multitask import AuxiliaryTask, labelled, masked
from experiments.common.code_fingerprint import module_fingerprint
from experiments.common.scores import plain_scores
from experiments.readers.crossner import crossner_files, read_crossner

REFERENCE = "linear"
PRINTED = "ASO, printed"
SYSTEMS = (REFERENCE, "ASO", PRINTED, "ASO, news")
UNLABELLED = "ASO, unlabelled"
SIZES = (50, 100)
LABEL = "label"
NEIGHBOURS = (-1, 1)  # whose words are predicted
N_UNLABELLED = 100_000  # tokens of other text, beside that of the domain


class LittleTextStudy:
    """Systems on draws from the training and development parts of a domain, tested on its test
    part, or in ``development`` on what is left of the other two."""

    def __init__(
        self,
        folder: Path,
        news: Callable[[], Corpus],
        unlabelled: list[Path],
        n_draws: int,
        systems: tuple[str, ...],
        *,
        development: bool = False,
        sizes: tuple[int, ...] = SIZES,
    ) -> None:
        self.folder, self._news, self.unlabelled = folder, news, unlabelled
        self.n_draws, self.systems, self.sizes = n_draws, systems, sizes
        self.development = development

    @cached_property
    def _parts(self) -> tuple[Corpus, Corpus]:
        """What is drawn from, and the test part; sentences stand alone."""
        train, held, test = read_crossner(self.folder)
        both = Corpus.concatenate([train, held])
        return Corpus(both.columns, both.bounds), Corpus(test.columns, test.bounds)

    @cached_property
    def _auxiliary(self) -> dict[str, list[AuxiliaryTask]]:
        """The auxiliary tasks of systems."""
        made: dict[str, list[AuxiliaryTask]] = {}
        if "ASO, news" in self.systems:
            made["ASO, news"] = [labelled(self._news(), "ner")]
        if UNLABELLED in self.systems:
            text = Corpus.concatenate(
                [own.without_column(LABEL) for own in self._parts]
                + [_first_tokens(read_text(path), N_UNLABELLED // len(self.unlabelled))
                   for path in self.unlabelled]
            )  # fmt: skip
            made[UNLABELLED] = [masked(text, "word", offset=k) for k in NEIGHBOURS]
        return made

    @property
    def plan(self) -> Plan:
        """Systems x draws x sizes."""
        return Plan(self.systems, self.n_draws, self.sizes)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        settings = repr((self.development, NEIGHBOURS, N_UNLABELLED))
        files = [*crossner_files(self.folder), *self.unlabelled]
        return fingerprint(__version__, self.folder.name, settings, module_fingerprint(ASO), *files)

    def shares(self, cell: Cell) -> Hashable:
        """Nothing but the data."""
        return cell.split, cell.size

    def _split(self, draw: int) -> Split:
        order = np.random.default_rng([0, draw]).permutation(len(self._parts[0])).tolist()
        most = max(self.sizes)
        return Split(tuple(order[:most]), tuple(order[most:]))

    def _tagger(self, system: str, train: Corpus) -> LinearTagger:
        if system == REFERENCE:
            return LinearTagger(threads=1)
        if system == PRINTED:
            return ASO(variant="paper", h=len(set(train.column(LABEL).codes.tolist())), threads=1)
        if system in self._auxiliary:
            return ASO(n_parts=0, auxiliary=self._auxiliary[system], threads=1)
        return ASO(threads=1)

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train one system and test it; ``cpu`` is the time of the training."""
        pool, test = self._parts
        split = self._split(cell.split)
        train = pool.select(sorted(split.train[: cell.size]))
        test = pool.select(sorted(split.test)) if self.development else test
        tagger = self._tagger(cell.system, train)
        start = process_time()
        tagger.fit(train, label=LABEL)
        seconds = process_time() - start
        report = evaluate(test.lists(LABEL), tagger.predict(test.without_column(LABEL)))
        return {
            "overall": plain_scores(report.micro),
            "types": {},
            "n_train": cell.size,
            "n_test": len(test),
            "overlap": cell.size / (len(pool) - cell.size),
            "cpu": seconds,
            "sharing": tagger.training_.get("sharing"),
        }


def _first_tokens(corpus: Corpus, n: int) -> Corpus:
    return corpus[: int(np.searchsorted(corpus.bounds, n))]
