"""Scores as ``dovetail eval`` shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from dovetail.cli.labelled import Labelled
from dovetail.cli.terminal import printable
from dovetail.evaluate import Interval, Report, bootstrap, evaluate

FEWEST_DOCUMENTS = 20  # drawing among fewer says little


class Score(NamedTuple):
    """A report, how sure it is, and what the model could not know."""

    report: Report
    interval: Interval
    unit: str
    unknown: Mapping[str, int]

    @classmethod
    def of(cls, found: Labelled) -> Score:
        """Score labels."""
        report = evaluate(found.gold, found.predicted)
        bounds = found.document_bounds
        by_documents = bounds is not None and len(bounds) > FEWEST_DOCUMENTS
        interval = bootstrap(report, document_bounds=bounds if by_documents else None)
        return cls(report, interval, "documents" if by_documents else "sequences", found.unknown)

    def note_unknown(self, who: str) -> None:
        """Say which labels the model could not give."""
        if self.unknown:
            counts = ", ".join(f"{label} ({count:,})" for label, count in self.unknown.items())
            click.echo(printable(f"note: labels that {who} does not know: {counts}"), err=True)

    def to_text(self) -> str:
        """The table, and the interval below it."""
        name = "F1" if self.report.kind == "spans" else "accuracy"
        value, low, high = (f"{100 * value:.2f}" for value in self.interval[:3])
        share = f"{100 * self.interval.level:.0f}%"
        return (
            f"{self.report.to_text()}\n\n"
            f"{name} {value}, {share} interval {low} to {high} (bootstrap over {self.unit})"
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        interval = self.interval
        name = "f1" if self.report.kind == "spans" else "accuracy"
        drawn = {"score": name, "value": interval.score, "low": interval.low}
        drawn |= {"high": interval.high, "level": interval.level, "unit": self.unit}
        facts = self.report.to_dict()
        return {**facts, "interval": drawn, "unknown_labels": dict(self.unknown)}
