"""The studies of the seminar announcements: which systems, on which splits, at which sizes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail import __version__
from dovetail.compare import Cell, Plan, Result, fingerprint
from dovetail.pipeline import AUTO_METHOD, choose_values
from experiments.common.code_fingerprint import module_fingerprint, tagger_fingerprint
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.seminars import our_systems, paper_systems
from experiments.seminars.announcements import TaggedAnnouncements
from experiments.seminars.our_systems import OurSystems
from experiments.seminars.paper_systems import PaperSystems

CURVE = (10, 20, 40, 80, 160)
ORIGINAL: tuple[str, ...] = ("none", "cascade", "joint")  # the systems of the paper
FAST = (*ORIGINAL, "pool")
STUDIES = {
    "paper": "the paper's features and prior, random halves",
    "best": "our features and rules, random halves",
    "others": "other ways of transfer, with the paper's features and prior",
    "curve": "the paper's features and prior with less training data",
    "best curve": "our features and rules with less training data",
    "copies": "the paper's features and prior, near-copies of a mail in the same half",
    "tuned": "the paper's features, the prior chosen on each training half",
    "best copies": "our features and rules, near-copies of a mail in the same half",
}
FEWER_SPLITS = {"others": 5, "curve": 5, "best curve": 5, "copies": 3, "tuned": 3, "best copies": 3}


@dataclass(frozen=True)
class SeminarExperiment(Experiment):
    """All studies, or with ``quick`` the first; ``n_mails`` takes so many mails only."""

    n_mails: int | None = None

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, SeminarStudy]:
        """The studies by name, in their order."""
        announcements = TaggedAnnouncements(
            DataSets(self.data, self.n_sentences),
            self.out,
            n_mails=self.n_mails,
            threads=threads,
            say=say,
        )
        names = ("paper",) if self.quick else tuple(STUDIES)
        return {name: SeminarStudy(name, announcements, self.n_draws) for name in names}


class SeminarStudy:
    """Systems of the paper, or ours, on splits of the mails."""

    def __init__(self, name: str, announcements: TaggedAnnouncements, n_splits: int) -> None:
        self.name = name
        self.announcements = announcements
        self.n_splits = min(n_splits, FEWER_SPLITS.get(name, n_splits))
        apart = "copies" in name
        divide = announcements.splits_without_copies if apart else announcements.splits
        splits = divide(n_splits)
        self.full_size = min(len(split.train) for split in splits)
        self.systems: OurSystems | PaperSystems
        if name.startswith("best"):
            self.systems = OurSystems(announcements, splits)
        else:
            c2 = None if name == "tuned" else paper_systems.PAPER_C2
            self.systems = PaperSystems(announcements, splits, c2)

    @property
    def plan(self) -> Plan:
        """Systems x splits x sizes."""
        if self.name.endswith("curve"):
            systems = our_systems.SYSTEMS if self.name.startswith("best") else ORIGINAL
            return Plan(systems, self.n_splits, [size for size in CURVE if size < self.full_size])
        if self.name.startswith("best"):
            return Plan(our_systems.SYSTEMS, self.n_splits, [self.full_size])
        kinds = {"paper": FAST, "others": paper_systems.SYSTEMS}
        return Plan(kinds.get(self.name, ORIGINAL), self.n_splits, [self.full_size])

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        settings: tuple[Any, ...]
        if isinstance(self.systems, OurSystems):
            template = self.systems.features
            folds = [our_systems.folds_for(size) for size in CURVE]
            settings = (our_systems.TOLERANCE, our_systems.IOBES_FROM, folds)
            settings += (module_fingerprint(choose_values), AUTO_METHOD, tagger_fingerprint())
        else:
            template = self.systems.conjoined
            settings = (paper_systems.C2_GRID, paper_systems.FOLDS, paper_systems.TOLERANCE)
        lists = [repr(lexicon.spec()) for lexicon in template.lexicons.values()]
        mails = "\0".join(self.announcements.mails.texts or ())
        truth = self.announcements.truth
        values = [{field: sorted(own) for field, own in mail.items()} for mail in truth]
        kind = "paper" if self.name in ("others", "curve") else self.name.removesuffix(" curve")
        texts = (kind, str(template), mails, repr(values), repr(settings))
        return fingerprint(__version__, *texts, *lists, self.announcements.taggers_fingerprint)

    def shares(self, cell: Cell) -> Hashable:
        """Models are those of a split and size."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score one system."""
        return self.systems.work(cell)


def merged(results: Mapping[str, Sequence[Result]], name: str = "curve") -> list[Result]:
    """A learning curve with its last point, from the study at full size, on the same splits."""
    curve = results.get(name, ())
    systems = {result["system"] for result in curve}
    splits = {result["split"] for result in curve}
    full = results["best" if name.startswith("best") else "paper"]
    return [*curve, *(r for r in full if r["system"] in systems and r["split"] in splits)]
