"""Names and nominals as text, as JSON and as pages to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dovetail.compare import Result, Summary, summarize, write_report
from dovetail.compare.formatting import describe_difference, format_percent, format_spread
from experiments.common.files import write_json
from experiments.common.tables import plain_table
from experiments.entities import published_results as published
from experiments.entities.experiment import LEVELS, TYPES

MEANS = {level: f"mean of {level}s" for level in LEVELS}
COLUMNS = tuple(
    column for level in LEVELS for column in (*(f"{t} {level}" for t in TYPES), MEANS[level])
)
DATA = {
    "LitBank": "100 novels; of nested mentions the outermost; a tenth to train on, the others "
    "to test on",
    "GUM": "many genres; every mention reduced to its head; a tenth of the training part, tested "
    "on the test part",
}
STAND_IN = "a public stand-in for ACE, on which the published figures were made"
CLAIMS = (("cascade", "none", "name"), ("joint", "cascade", "nominal"))


class EntityReport:
    """All that is told of names and nominals."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.out = out
        self.results = {name: [with_means(r) for r in own] for name, own in results.items()}
        self.summaries = {name: self._summary(name) for name in results}

    def _summary(self, case: str, reference: str = "none") -> Summary:
        return summarize(self.results[case], reference=reference, unit="documents")

    def sentences(self) -> list[str]:
        """The paper's two claims, and how `auto` stands beside the best of the others."""
        out = []
        for case, summary in self.summaries.items():
            for system, against, level in CLAIMS:
                out.append(f"{case}: {self._difference(case, system, against, MEANS[level])}")
            others = {s.system: s.f1.mean for s in summary.scores if s.system != "auto"}
            best = max(others, key=others.__getitem__)
            out += [f"{case}: {self._difference(case, 'auto', a)}" for a in {"none": 0, best: 0}]
        return out

    def _difference(self, case: str, system: str, against: str, type: str | None = None) -> str:
        summary = self._summary(case, against)
        found = summary.difference(system, against, summary.full_size, type)
        assert found is not None
        return describe_difference(found)

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        return {
            "published": {name: with_published_means(name) for name in published.ENTITIES},
            "cases": {
                name: {"what": f"{DATA[name]}; {STAND_IN}", "summary": summary.to_dict()}
                for name, summary in self.summaries.items()
            },
            "findings": self.sentences(),
        }

    def write(self) -> list[Path]:
        """Write JSON and pages into the output folder; their paths."""
        paths = [self.out / "entities.json"]
        write_json(paths[0], self.to_dict())
        for name, summary in self.summaries.items():
            paths.append(self.out / f"{name.lower()}.html")
            facts = {
                "data": f"{name}: {DATA[name]}",
                "stands for": STAND_IN,
                "features": "those of Sutton and McCallum (2005), Table 3",
                "below": "entities in news (CoNLL-2003)",
            }
            title = f"Names and nominals in {name}"
            write_report(paths[-1], summary, title=title, facts=facts)
        return paths

    def for_terminal(self) -> Group:
        """A table for each corpus, and what they say; print it with a rich console."""
        parts: list[Any] = []
        for name, summary in self.summaries.items():
            size = f"{summary.full_size} documents to train on, {summary.n_splits} draws"
            parts += [Text(f"{name}, {STAND_IN}", "bold"), Text(f"{DATA[name]}; {size}")]
            parts += [_table(summary), Text()]
        return Group(*parts, *(Text(f"- {sentence}") for sentence in self.sentences()))


def with_means(result: Result) -> Result:
    """A result with the mean F1 of the three types, by level, as further types."""
    types = dict(result["types"])
    for level, title in MEANS.items():
        own = [types.get(f"{t} {level}", {"f1": 0.0})["f1"] for t in TYPES]
        types[title] = {"f1": mean(own)}
    return {**result, "types": types}


def with_published_means(system: str) -> dict[str, float]:
    """The published figures of a system, with the same means."""
    figures = dict(published.ENTITIES[system])
    for level, title in MEANS.items():
        figures[title] = round(mean(figures[f"{t} {level}"] for t in TYPES), 1)
    return figures


def _table(summary: Summary) -> Table:
    table = plain_table("F1", *COLUMNS, "overall")
    for system in summary.systems:
        score = summary.score(system, summary.full_size)
        assert score is not None
        own = [format_percent(score.types[c].mean) if c in score.types else "-" for c in COLUMNS]
        table.add_row(system, *own, format_spread(score.f1))
        if system in published.ENTITIES:
            figures = with_published_means(system)
            table.add_row("  published, on ACE", *(str(figures[c]) for c in COLUMNS), style="dim")
    return table
