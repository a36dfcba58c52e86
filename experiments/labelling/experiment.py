"""What labelling costs until a model is nearly as good as one that all text has trained."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dovetail import __version__
from dovetail.compare import Cell, Plan, fingerprint
from dovetail.studio import (
    METHODS,
    Cost,
    Gold,
    Point,
    Simulation,
    cost_to_reach,
    full_score,
)
from experiments.common.code_fingerprint import code_fingerprint, tagger_fingerprint
from experiments.common.experiment import Experiment, Say
from experiments.labelling.cases import NAMES, Taggers, make_cases
from experiments.little.case import LABEL, LittleCase

SHARE = 0.9  # of the score of a model that all text has trained
SEEDS = 3
QUICK = ("CrossNER politics",)
QUICK_METHODS = ("by hand", "choice")
QUICK_SHARE = 0.5
LEARNING = ("partial", "text", "refit", "model", "learner", "choose", "questions")
OF_THE_STUDIO = (
    "studio/simulate.py",
    *(f"studio/learning/{name}.py" for name in LEARNING),
    "pipeline/**/*.py",
)


@dataclass(frozen=True)
class LabellingExperiment(Experiment):
    """All cases and methods; with ``quick`` one case, two methods, and half of the way."""

    methods: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, LabellingStudy]:
        """One for each case."""
        old = Taggers(self.data, self.out, n_sentences=self.n_sentences, threads=threads, say=say)
        made = make_cases(old)
        names = [name for name in NAMES if name in (self.cases or (QUICK if self.quick else NAMES))]
        usual = QUICK_METHODS if self.quick else tuple(METHODS)
        methods = [name for name in METHODS if name in (self.methods or usual)]
        share = QUICK_SHARE if self.quick else SHARE
        studies = {
            name: LabellingStudy(made[name], methods, self.n_draws, share, self.out)
            for name in names
        }
        for study in studies.values():
            if say is not None and not study.path.exists():
                say(f"training on all text of {study.case.name}")
            study.full  # noqa: B018 - so that no two processes train the same
        return studies


class LabellingStudy:
    """Methods on orders of a case."""

    def __init__(
        self, case: LittleCase, methods: Sequence[str], n_draws: int, share: float, kept: Path
    ) -> None:
        self.case = case
        self.methods = tuple(methods)
        self.n_draws = n_draws
        self.share = share
        self.path = kept / f"full-{fingerprint(self._made_of)[:12]}.json"

    @property
    def _made_of(self) -> str:
        case = self.case
        code = tagger_fingerprint() + code_fingerprint(*OF_THE_STUDIO)
        return fingerprint(__version__, case.name, case.data_fingerprint, str(case.n_tested), code)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        old = self.case.old.fingerprint if self.case.old is not None else ""
        return fingerprint(self._made_of, old, repr((self.share, sorted(self.case.same.items()))))

    @property
    def plan(self) -> Plan:
        """Methods x orders."""
        return Plan(self.methods, self.n_draws, [1])

    def shares(self, cell: Cell) -> Hashable:
        """No cell shares anything with another."""
        return cell.system, cell.split

    @cached_property
    def gold(self) -> tuple[Gold, Gold]:
        """The text to label, and the one to test on."""
        return Gold.of(self.case.pool, LABEL), Gold.of(self.case.test, LABEL)

    @cached_property
    def full(self) -> float:
        """The score of a model that all text has trained."""
        if not self.path.exists():
            text, test = self.gold
            score = full_score(text, test, text.labels, threads=1)
            self.path.write_text(json.dumps({"case": self.case.name, "f1": score}), "utf-8")
        return float(json.loads(self.path.read_text("utf-8"))["f1"])

    def work(self, cell: Cell) -> dict[str, Any]:
        """Label until the score is reached, or all is labelled."""
        text, test = self.gold
        target = self.share * self.full
        simulation = Simulation(
            text,
            test,
            text.labels,
            self.case.below,
            self.case.same,
            seed=cell.split,
            threads=1,
        )

        def stop(point: Point) -> bool:
            return point.f1 >= target

        points = list(simulation.run(METHODS[cell.system], stop))
        return {
            "full": self.full,
            "target": target,
            "reached": cost_to_reach(points, target),
            "points": [[*point.cost, round(point.f1, 4)] for point in points],
            "fields": [*Cost._fields, "f1"],
        }
