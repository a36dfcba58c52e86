"""The last part of the show: the same comparison on random splits, and a report on it."""

from __future__ import annotations

from pathlib import Path

from dovetail.cli.compare import show_cells
from dovetail.compare import Store, Summary, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.compare.plan import Result
from dovetail.compare.report import require_report, write_report
from dovetail.demo import path
from dovetail.errors import DovetailError
from dovetail.recipe import Recipe

UNIT = "e-mails"


class Compared:
    """The systems of the demo on random splits; results that are in the file are not computed."""

    def __init__(self, results: Path) -> None:
        self.experiment = Experiment(Recipe.read(path("compare.toml")))
        self.store = Store(results, self.experiment.fingerprint)

    @property
    def planned(self) -> str:
        """What is compared, and how often, in words."""
        plan = self.experiment.plan
        *sizes, full = plan.sizes
        return (
            f"{', '.join(plan.systems)} on {plan.n_splits} random splits by whole e-mails, trained "
            f"on {', '.join(map(str, sizes))} and {full} of them"
        )

    @property
    def is_done(self) -> bool:
        """Whether all results are there already."""
        return all(self.store.get(cell) is not None for cell in self.experiment.plan.cells)

    def run(self) -> list[Result]:
        """All results, with progress shown while they are computed."""
        with show_cells() as progress:
            return run(self.experiment.plan, self.experiment.work, self.store, progress)

    def write_report(self, results: list[Result], summary: Summary, target: Path) -> None:
        """One HTML file on everything that was found."""
        changes = next((result["changes"] for result in results if "changes" in result), ())
        facts = {**self.experiment.facts, "note": "all people, places and texts are made up"}
        title = "Names learnt from news, in announcements"
        write_report(target, summary, title=title, facts=facts, changes=changes)


def summary_of(results: list[Result]) -> Summary:
    """What the results say."""
    return summarize(results, unit=UNIT)


def why_no_report() -> str:
    """Why no report can be written here, and what helps; empty if it can."""
    try:
        require_report()
    except DovetailError as error:
        return str(error)
    return ""
