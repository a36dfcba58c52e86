"""What one gets from little labelled text: many cases, sizes, draws and systems."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dovetail import DataError
from experiments.common.experiment import Experiment, Say
from experiments.little import entity_cases, record_cases
from experiments.little.case import N_TESTED
from experiments.little.crfsuite_tutorial import require_crfsuite
from experiments.little.old_taggers import OldTaggers
from experiments.little.study import LittleStudy, suits
from experiments.little.systems import SYSTEMS, missing_packages

DATA = (*entity_cases.DATA, *record_cases.DATA)
MAKERS = {**entity_cases.entity_cases(), **record_cases.record_cases()}
SIZES = (10, 20, 50, 100, 300)
DRAWS = 5
QUICK = ("WNUT-17", "CrossNER ai", "GROBID references", "CrossNER politics permuted")
QUICK_SIZES = (20, 100)
QUICK_SYSTEMS = ("none", "auto", "tutorial", "old")
QUICK_TESTED = 200


@dataclass(frozen=True)
class LittleExperiment(Experiment):
    """All cases, sizes and systems, or with ``quick`` some of each; or those that are named."""

    cases: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    systems: tuple[str, ...] = ()

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, LittleStudy]:
        """One for each case and system that suits it, by both names."""
        names = chosen("case", self.cases, MAKERS, QUICK if self.quick else MAKERS)
        usual = QUICK_SYSTEMS if self.quick else SYSTEMS
        systems = chosen("system", self.systems, SYSTEMS, usual)
        sizes = sorted(set(self.sizes)) or (QUICK_SIZES if self.quick else SIZES)
        for system, extra in missing_packages(systems).items():
            systems = [other for other in systems if other != system]
            if say is not None:
                say(f"{system} is left out, since it needs: pip install 'dovetail[{extra}]'")
        if any(system.startswith("tutorial") for system in systems):
            require_crfsuite()
        old = OldTaggers(
            self.data, self.out, n_sentences=self.n_sentences, threads=threads, say=say
        )
        n_tested = QUICK_TESTED if self.quick else N_TESTED
        cases = [replace(MAKERS[name](name, old), n_tested=n_tested) for name in names]
        made = [
            LittleStudy(case, system, self.n_draws, sizes)
            for case in cases
            for system in systems
            if suits(system, case)
        ]
        return {f"{s.case.name}: {s.system}": s for s in made if s.sizes}


def chosen(
    what: str, given: Sequence[str], known: Collection[str], usual: Collection[str]
) -> list[str]:
    """Names that are given, in the order of all, or the usual ones."""
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise DataError(f"there is no {what} '{unknown}'; choose from {', '.join(known)}")
    return [name for name in known if name in (given or usual)]
