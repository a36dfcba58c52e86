"""The reproduction as text, as JSON and as pages to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dovetail.compare import Result, Summary, summarize, write_report
from dovetail.compare.formatting import (
    describe_data_saved,
    format_difference,
    format_p_value,
    format_percent,
)
from experiments.common.data_sets import DataSets
from experiments.common.files import write_json
from experiments.common.tables import plain_table
from experiments.seminars import comparisons as findings
from experiments.seminars import published_results as published
from experiments.seminars.announcements import Announcements
from experiments.seminars.experiment import ORIGINAL, STUDIES, SeminarExperiment, merged
from experiments.seminars.field_scores import FIELDS

NAMES = {"cascade": "cascaded"}
COLUMNS = (*FIELDS, "overall")


class SeminarReport:
    """All that is told of a reproduction."""

    def __init__(
        self, experiment: SeminarExperiment, results: Mapping[str, Sequence[Result]]
    ) -> None:
        self.out = experiment.out
        self.results = results
        announcements = Announcements(DataSets(experiment.data), experiment.n_mails)
        n = experiment.n_draws
        splits, apart = announcements.splits(n), announcements.splits_without_copies(n)
        self.comparisons = {
            name: findings.comparisons(own, apart if "copies" in name else splits)
            for name, own in results.items()
            if not name.endswith("curve")
        }
        self.hosts = findings.host_counts(results["paper"])
        self.summaries = {
            name: summarize(own, unit="mails")
            for name, own in results.items()
            if not name.endswith("curve")
        }
        self.curves: dict[str, Summary] = {}
        if "curve" in results:
            own = merged(results, "curve")
            self.curves = {f: findings.curve(own, f, "cascade") for f in ("speaker", "location")}
            best = merged(results, "best curve")
            self.curves["our best, overall"] = findings.curve(best, "overall", "none eager")
        sizes = [size for size in Counter(announcements.groups).values() if size > 1]
        self.copies = {"groups": len(sizes), "mails": sum(sizes)}
        self.n_mails = len(announcements.mails)

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "mails": self.n_mails,
            "near-copies": self.copies,
            "published": {"table": published.TABLE, "hosts": published.HOSTS},
            "studies": {
                name: {
                    "what": STUDIES[name],
                    "summary": summary.to_dict(),
                    "chosen": findings.chosen(self.results[name]),
                    "tests": findings.as_plain(self.comparisons[name]),
                }
                for name, summary in self.summaries.items()
            },
            "hosts": self.hosts,
            "curves": {field: curve.to_dict() for field, curve in self.curves.items()},
        }

    def write(self) -> list[Path]:
        """Write JSON and pages into the output folder; their paths."""
        paths = [self.out / "seminars.json", self.out / "seminars.html"]
        write_json(paths[0], self.to_dict())
        everything = [*self.results["paper"], *self.results.get("curve", ())]
        best = [*self.results.get("best", ()), *self.results.get("best curve", ())]
        changes = [change for result in everything for change in result.get("changes", ())]
        facts = {
            "data": f"{self.n_mails} seminar announcements (Freitag 1998)",
            "features": "those of Sutton and McCallum (2005), Table 1; c2 = 1 (variance 0.5)",
            "scores": "one value a field and mail; overall is the mean of the fields",
            "published": [
                f"{NAMES.get(name, name)} {figures['overall']}"
                for name, figures in published.TABLE.items()
            ],
        }
        write_report(
            paths[1],
            summarize(everything, unit="mails"),
            title="Fields of seminar announcements",
            facts=facts,
            changes=changes,
        )
        if "best" in self.summaries:
            paths.append(self.out / "best.html")
            facts = {"data": facts["data"], "features": STUDIES["best"], "scores": facts["scores"]}
            write_report(
                paths[-1],
                summarize(best, unit="mails"),
                title="Fields of seminar announcements: our best",
                facts=facts,
            )
        return paths

    def for_terminal(self) -> Group:
        """Tables of all studies, and what they say; print it with a rich console."""
        parts: list[Any] = []
        for name, summary in self.summaries.items():
            parts += [Text(f"{STUDIES[name]}: mean F1 of {summary.n_splits} splits", "bold")]
            parts += [_table(summary, beside_paper=not name.startswith("best")), Text()]
        for name, curve in self.curves.items():
            parts += [Text(f"F1 by mails to train on, {name}: mean of {curve.n_splits}", "bold")]
            parts += [_curve(curve), Text()]
        parts += [Text(f"- {sentence}") for sentence in self.sentences()]
        return Group(*parts)

    def sentences(self) -> list[str]:
        """The findings in words."""
        out = []
        for name, compared in self.comparisons.items():
            for found in compared:
                claims = {("joint", "cascade"), ("cascade", "none"), ("auto eager", "none eager")}
                if (found.system, found.against) not in claims:
                    continue
                if found.field in ("overall", "speaker", "location"):
                    out.append(f"{name}: {in_words(found)}")
        for system, count in self.hosts.items():
            if system in ("cascade", "joint", "joint3"):
                share = f"{count['entities']} of {count['tokens']}"
                out.append(f'"Host:" taken for an entity by {system}: {share}')
        paper = published.HOSTS
        out.append(
            f"published, one split: {paper['cascade']} of {paper['tokens']} by cascade, "
            f"{paper['joint']} by joint"
        )
        for field, curve in self.curves.items():
            out += [f"{field}: {describe_data_saved(s, curve)}" for s in curve.data_saved]
        groups, mails = self.copies["groups"], self.copies["mails"]
        out.append(f"{mails} mails are near-copies of one another, in {groups} groups")
        return out


def in_words(found: findings.Comparison) -> str:
    """A difference with all its tests."""
    start = (
        f"{found.field}, {found.system} - {found.against}: {format_difference(found.difference)}"
    )
    if found.p is None or found.corrected_p is None:
        return f"{start}, one split"
    return (
        f"{start} (better in {found.wins}, worse in {found.losses}; p {format_p_value(found.p)}, "
        f"corrected {format_p_value(found.corrected_p)}, "
        f"bootstrap {format_p_value(found.bootstrap_p)})"
    )


def _table(summary: Summary, *, beside_paper: bool) -> Table:
    table = plain_table("F1", *COLUMNS)
    for system in summary.systems:
        score = summary.score(system, summary.full_size)
        assert score is not None
        own = [format_percent(score.types[field].mean) for field in FIELDS]
        deviation = score.f1.deviation
        spread = "" if deviation is None else f" ± {format_percent(deviation)}"
        table.add_row(system, *own, format_percent(score.f1.mean) + spread)
        if beside_paper and system in ORIGINAL:
            figures = published.TABLE[system]
            table.add_row("  published", *(str(figures[c]) for c in COLUMNS), style="dim")
    return table


def _curve(summary: Summary) -> Table:
    table = plain_table("F1", *map(str, summary.sizes))
    for system in summary.systems:
        scores = [summary.score(system, size) for size in summary.sizes]
        table.add_row(system, *("" if s is None else format_percent(s.f1.mean) for s in scores))
    return table
