"""The comparison of the show: the fields alone and by `auto`, and a report on it."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

from rich.console import Console

from dovetail.cli.compare import show_cells
from dovetail.compare import Store, Summary, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.compare.plan import Result
from dovetail.compare.report import require_report, write_report
from dovetail.demo import path
from dovetail.errors import DovetailError
from dovetail.recipe import Recipe


class DemoComparison:
    """The systems of the demo's recipe; results that are in the file are not computed again."""

    def __init__(self, results: Path) -> None:
        self.experiment = Experiment(Recipe.read(path("recipe.toml")))
        self.store = Store(results, self.experiment.fingerprint)

    def run(self, console: Console) -> list[Result]:
        """All results; progress is shown on a terminal only."""
        plan, work = self.experiment.plan, self.experiment.work
        if not console.is_terminal:
            return run(plan, work, self.store)
        with show_cells() as progress:
            return run(plan, work, self.store, progress)

    def summarize(self, results: list[Result]) -> Summary:
        """What the results say."""
        return summarize(results, unit="lines")

    def write_report(self, results: list[Result], summary: Summary, target: Path) -> None:
        """One HTML file on all results."""
        changes = next((result["changes"] for result in results if "changes" in result), ())
        facts = {**self.experiment.facts, "note": "all people, places and texts are made up"}
        title = "Names learnt from news, in announcements"
        write_report(target, summary, title=title, facts=facts, changes=changes)


def why_no_report() -> str:
    """Why no report can be written here, and what helps; empty if it can."""
    try:
        require_report()
    except DovetailError as error:
        return str(error)
    return ""


def open_report(report: Path, console: Console) -> None:
    """Show the report in a browser, if somebody sits at a terminal with a display."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    has_display = sys.platform == "darwin" or any(os.environ.get(name) for name in screens)
    if console.is_terminal and has_display:
        webbrowser.open(report.absolute().as_uri())
