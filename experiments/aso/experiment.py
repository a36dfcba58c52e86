"""Entities of five domains with 50 and 100 labelled sentences: does ASO ever harm?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dovetail import Corpus
from dovetail.multitask import Structure
from experiments.aso.study import SIZES, SYSTEMS, UNLABELLED, LittleTextStudy, learn_structure
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.readers.crossner import DOMAINS, read_crossner

DATA = ("crossner", "unlabelled-en")
QUICK = ("ai",)


@dataclass(frozen=True)
class LittleTextExperiment(Experiment):
    """Five domains, or with ``quick`` one at the smaller size; with ``unlabelled`` a system that
    learns from text without labels too; ``systems`` names some alone."""

    development: bool = False
    unlabelled: bool = False
    systems: tuple[str, ...] = ()

    def studies(
        self,
        threads: int | None,  # noqa: ARG002 - nothing is trained beforehand
        say: Say | None = None,  # noqa: ARG002
    ) -> dict[str, LittleTextStudy]:
        """A study for each domain."""

        @cache
        def news() -> Corpus:
            return DataSets(self.data, self.n_sentences).news()

        @cache
        def structure() -> Structure:
            domains = [part for d in DOMAINS for part in read_crossner(self.data / "crossner" / d)]
            return learn_structure(domains, texts)

        texts = sorted((self.data / "unlabelled-en").glob("*.txt.gz"))
        systems = (*(self.systems or SYSTEMS), *([UNLABELLED] if self.unlabelled else ()))
        return {
            f"CrossNER {domain}": LittleTextStudy(
                self.data / "crossner" / domain,
                news,
                texts,
                structure,
                self.n_draws,
                systems,
                development=self.development,
                sizes=SIZES[:1] if self.quick else SIZES,
            )
            for domain in (QUICK if self.quick else DOMAINS)
        }
