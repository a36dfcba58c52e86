"""Representations across domains as text, as JSON and as pages to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dovetail.compare import Result, summarize, write_report
from dovetail.compare.formatting import format_difference, format_p_value, format_percent
from experiments.common.files import write_json
from experiments.common.tables import dense_table, percent2
from experiments.domains import published_results as published
from experiments.domains.experiment import ALPHAS, CONTEXTS, SIGMAS, STRENGTHS, SWITCHED, grid_name
from experiments.domains.findings import (
    REFERENCE,
    Line,
    judge_distances,
    lines,
    sentences,
    to_dict,
)
from experiments.domains.plots import distances, grid

PROPERTIES = {"entropy": "H(label|state)", "distance": "distance", "predict": "predict"}
RECIPES = {
    "paper": "random start, plain EM, best states as ordinary features, biases as published",
    "printed": "the same, properties as they are printed",
    "ours": "classes as a start, variational Bayes, soft states of a smaller value, labels left "
    "out of the states of labelled text",
}
CHOSEN = "penalty and value by the likelihood of labels in held-out text of the source alone"


class DomainReport:
    """All that is told of representations across domains."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        self.results = results
        self.out = out
        self.lines = {name: lines(own) for name, own in results.items()}
        self.compared = [name for name, found in self.lines.items() if REFERENCE in found]
        self.switched = [name for name in results if name.startswith(SWITCHED)]

    def sentences(self) -> list[str]:
        """What the studies say, that of strengths last."""
        found = [s for name, own in self.results.items() for s in sentences(name, own)]
        verdict = judge_distances(self.lines.get(STRENGTHS, {}))
        return found if verdict is None else [*found, verdict]

    def write(self) -> list[Path]:
        """Write JSON and pages into the output folder; their paths."""
        paths = [self.out / "domains.json"]
        figures = {
            "parts of speech": published.PARTS_OF_SPEECH,
            "entities": published.ENTITIES,
            "switched": published.SWITCHED,
        }
        write_json(paths[0], {"published": figures, **to_dict(self.results)})
        for name in self.compared:
            paths.append(self._write_page(name))
        if STRENGTHS in self.results:
            found = self.lines[STRENGTHS]
            alone = [line for line in found.values() if "E" not in line.system]
            plots = {
                "Accuracy by sigma and alpha": grid(
                    {
                        alpha: [(s, found[grid_name(s, alpha)].development) for s in SIGMAS]
                        for alpha in ALPHAS
                    }
                ),
                "Accuracy by the distance of domains": distances(alone),
            }
            paths.append(self._write_page(STRENGTHS, plots))
        return paths

    def _write_page(self, study: str, figures: Mapping[str, str] | None = None) -> Path:
        path = self.out / f"{study.lower().replace(',', '').replace(' ', '-')}.html"
        results = [
            {**result, "types": {"news": {"f1": result["development"]}, **result["types"]}}
            for result in self.results[study]
        ]
        recipe = study.rpartition(", ")[2]
        facts = {
            "scores": "types are domains, overall is the mean of the targets; F1 of tokens is "
            "their accuracy",
            "recipe": RECIPES.get(recipe, RECIPES["paper"]),
            "chosen": CHOSEN,
        }
        summary = summarize(results, unit="labelled tokens")
        write_report(path, summary, title=f"Domains: {study}", facts=facts, figures=figures)
        return path

    def for_terminal(self) -> Group:
        """Tables, and what they say; print it with a rich console."""
        parts: list[Any] = []
        for name in self.compared:
            first = next(iter(self.lines[name].values()))
            recipe = RECIPES[name.rpartition(", ")[2]]
            parts += [Text(f"{name}: {recipe}", "bold"), Text(f"samples: {first.n_samples}")]
            parts += [_table(name, self.lines[name]), Text()]
        if self.switched:
            parts += [Text("Two tasks, biases switched", "bold"), self._switched_table(), Text()]
        if STRENGTHS in self.results:
            parts += [Text("Strengths of biases", "bold"), _strengths(self.lines[STRENGTHS])]
        if CONTEXTS in self.results:
            apart = _strengths(self.lines[CONTEXTS], "distance, class", "distance, bigram")
            parts += [Text("Distances in context", "bold"), apart]
        return Group(*parts, *(Text(f"- {sentence}") for sentence in self.sentences()))

    def _switched_table(self) -> Table:
        table = dense_table("representation")
        for name in self.switched:
            table.add_column(name.removeprefix(f"{SWITCHED} "), justify="right")
            table.add_column("published", justify="right")
        for system, figures in published.SWITCHED.items():
            row = [system]
            for name in self.switched:
                task = "pos" if " pos" in name else "ner"
                row += [percent2(self.lines[name][system].score), str(figures[task])]
            table.add_row(*row)
        return table


def _table(study: str, found: Mapping[str, Line]) -> Table:
    first = next(iter(found.values()))
    table = dense_table("accuracy" if first.unseen is not None else "F1")
    for name in ("source", *first.tests, "mean", f"- {REFERENCE}", "p", "unseen", "value"):
        table.add_column(name, justify="right")
    for name in PROPERTIES.values():
        table.add_column(name, justify="right")
    for line in found.values():
        table.add_row(
            line.system,
            format_percent(line.development),
            *(format_percent(score) for score in line.tests.values()),
            percent2(line.score),
            "" if line.difference is None else format_difference(line.difference),
            "" if line.p is None else format_p_value(line.p).removeprefix("= "),
            "" if line.unseen is None else format_percent(line.unseen),
            "" if line.value is None else f"{line.value:.2f}",
            *(_number(line.properties.get(name)) for name in PROPERTIES),
        )
        if study.startswith("Chinese") and line.system in published.PARTS_OF_SPEECH:
            figures = published.PARTS_OF_SPEECH[line.system]
            targets = [figures[genre] for genre in line.tests]
            over = mean(figures[g] - published.PARTS_OF_SPEECH[REFERENCE][g] for g in line.tests)
            row = [*map(str, (figures["news"], *targets)), f"{mean(targets):.2f}", f"{over:+.1f}"]
            table.add_row("  published", *row, style="dim")
        if study.startswith("Entities") and line.system in published.ENTITIES:
            figure = published.ENTITIES[line.system]
            table.add_row("  published, MUC-7", "", str(figure), style="dim")
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _strengths(found: Mapping[str, Line], *more: str) -> Table:
    table = dense_table("strength")
    for name in ("source", "mean of targets", "H(label|state)", "distance", *more):
        table.add_column(name, justify="right")
    for line in found.values():
        scores = (percent2(line.development), percent2(line.score))
        own = (_number(line.properties.get(name)) for name in ("entropy", "distance", *more))
        table.add_row(line.system, *scores, *own)
    return table
