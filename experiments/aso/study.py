"""Linear taggers on random sentences of a domain, alone and with auxiliary tasks.

linear           a classifier for each label
ASO              the same with what parts of its own text share
ASO, printed     the algorithm as He et al. (2009) print it, with a direction for each label
ASO, news        with what the labels of entities in news share
ASO, unlabelled  with what neighbouring words share, in text without labels
structure        the linear tagger reads what predictors of frequent neighbours share, which see
                 the word alone, at the token and beside it: a structure of text without labels
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.optimize  # noqa: F401 - here, so that no training has to wait for it

from dovetail import ASO, Corpus, LinearTagger, Template, __version__, column
from dovetail.compare import Cell, Plan, Split, fingerprint
from dovetail.corpus import read_text
from dovetail.evaluate import evaluate
from dovetail.features.sets import default
from dovetail.multitask import AuxiliaryTask, Structure, labelled, masked
from experiments.common.code_fingerprint import module_fingerprint
from experiments.common.scores import plain_scores
from experiments.readers.crossner import crossner_files, read_crossner

REFERENCE = "linear"
PRINTED = "ASO, printed"
SYSTEMS = (REFERENCE, "ASO", PRINTED, "ASO, news")
UNLABELLED = "ASO, unlabelled"
STRUCTURE = "structure"
SIZES = (50, 100)
WORD, LABEL = "word", "label"
NEIGHBOURS = (-1, 1)  # whose words are predicted
N_UNLABELLED = 100_000  # tokens of other text, beside that of the domain
N_STRUCTURE = 200_000  # the same for the structure, beside that of all domains
FREQUENT, H = 150, 40  # neighbours on each side to predict, and directions they share


class LittleTextStudy:
    """Systems on draws from the training and development parts of a domain, tested on its test
    part, or in ``development`` on what is left of the other two."""

    def __init__(
        self,
        folder: Path,
        news: Callable[[], Corpus],
        unlabelled: list[Path],
        structure: Callable[[], Structure],
        n_draws: int,
        systems: tuple[str, ...],
        *,
        development: bool = False,
        sizes: tuple[int, ...] = SIZES,
    ) -> None:
        self.folder, self._news, self.unlabelled = folder, news, unlabelled
        self.structure = structure
        self.n_draws, self.systems, self.sizes = n_draws, systems, sizes
        self.development = development

    @cached_property
    def _parts(self) -> tuple[Corpus, Corpus]:
        """What is drawn from, and the test part; sentences stand alone."""
        train, held, test = read_crossner(self.folder)
        both = Corpus.concatenate([train, held])
        parts = Corpus(both.columns, both.bounds), Corpus(test.columns, test.bounds)
        if STRUCTURE not in self.systems:
            return parts
        pool, tested = (self.structure().annotate(part) for part in parts)
        return pool, tested

    @cached_property
    def _auxiliary(self) -> dict[str, list[AuxiliaryTask]]:
        """The auxiliary tasks of systems."""
        made: dict[str, list[AuxiliaryTask]] = {}
        if "ASO, news" in self.systems:
            made["ASO, news"] = [labelled(self._news(), "ner")]
        if UNLABELLED in self.systems:
            text = Corpus.concatenate(
                [Corpus({WORD: p.column(WORD)}, p.bounds) for p in self._parts]
                + [_first_tokens(read_text(path), N_UNLABELLED // len(self.unlabelled))
                   for path in self.unlabelled]
            )  # fmt: skip
            made[UNLABELLED] = [masked(text, WORD, offset=k) for k in NEIGHBOURS]
        return made

    @property
    def plan(self) -> Plan:
        """Systems x draws x sizes."""
        return Plan(self.systems, self.n_draws, self.sizes)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        settings = repr((self.development, NEIGHBOURS, N_UNLABELLED, N_STRUCTURE, FREQUENT, H))
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
        words = default((WORD,), spans=True)
        if system == REFERENCE:
            return LinearTagger(features=words, threads=1)
        if system == STRUCTURE:
            around = column(self.structure().name).window(1)
            return LinearTagger(features=words.with_features(around), threads=1)
        if system == PRINTED:
            h = len(set(train.column(LABEL).codes.tolist()))
            return ASO(features=words, variant="paper", h=h, threads=1)
        if system in self._auxiliary:
            tasks = self._auxiliary[system]
            return ASO(features=words, n_parts=0, auxiliary=tasks, threads=1)
        return ASO(features=words, threads=1)

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


def learn_structure(texts: Iterable[Corpus], unlabelled: Sequence[Path]) -> Structure:
    """What predictors of frequent neighbours share: each sees the word alone, so that words with
    like neighbours are alike (Ando and Zhang 2005)."""
    word = column(WORD)
    features = Template(
        word, word.lower, word.lower.prefix(3), word.lower.suffix(2), word.lower.suffix(3),
        word.short_shape,
    )  # fmt: skip
    n = N_STRUCTURE // len(unlabelled)
    parts = [*texts, *(_first_tokens(read_text(path), n) for path in unlabelled)]
    text = Corpus.concatenate([Corpus({WORD: p.column(WORD)}, p.bounds) for p in parts])
    tasks = [masked(text, WORD, offset=offset, most=FREQUENT) for offset in NEIGHBOURS]
    return Structure(features, h=H, tolerance=1e-2, min_count=2, threads=1).fit(tasks)


def _first_tokens(corpus: Corpus, n: int) -> Corpus:
    return corpus[: int(np.searchsorted(corpus.bounds, n))]
