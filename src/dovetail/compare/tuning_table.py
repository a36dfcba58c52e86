"""The points of a grid as a table for terminals, and as plain text elsewhere."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from dovetail.compare.formatting import format_percent
from dovetail.compare.table import PLAIN_WIDTH
from dovetail.compare.tuning_results import TuningResult, find_best_point

PROPERTIES = {
    "entropy": "H(label | state)",
    "distance": "source to target",
    "predict": "layers told",
}


def for_terminal(results: Sequence[TuningResult], strengths: Sequence[str]) -> Group:
    """The table, and what it says; print it with a rich console."""
    legend = Text("log-likelihood of the development text's labels, in nats a token", style="dim")
    lines = [Text(line) for line in _findings(results)]
    return Group(_table(results, strengths), legend, *lines)


def as_text(results: Sequence[TuningResult], strengths: Sequence[str]) -> str:
    """The same as plain text, for a file or a pipe."""
    console = Console(file=io.StringIO(), width=PLAIN_WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(for_terminal(results, strengths))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _table(results: Sequence[TuningResult], strengths: Sequence[str]) -> Table:
    """A row for each point, the best in bold."""
    found = {name for one in results for name, value in one.properties.items() if value is not None}
    measured = [name for name in PROPERTIES if name in found]
    spans = any(one.f1 is not None for one in results)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    scores = ["log-likelihood", *(["F1"] if spans else []), "accuracy"]
    for title in (*(strengths or ["strengths"]), *scores, *map(PROPERTIES.__getitem__, measured)):
        table.add_column(title, justify="right")
    first = find_best_point(results)
    for one in results:
        cells = [f"{one.likelihood:.4f}"]
        if spans:
            cells.append(format_percent(one.f1 or 0.0))
        cells.append(format_percent(one.accuracy))
        cells += [_number(one.properties.get(name)) for name in measured]
        table.add_row(*_place(one, strengths), *cells, style="bold" if one is first else "")
    return table


def _place(one: TuningResult, strengths: Sequence[str]) -> list[str]:
    if one.point is None:
        return ["none", *[""] * (len(strengths) - 1)]
    return [f"{one.point[name]:.10g}" for name in strengths] or ["default"]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _findings(results: Sequence[TuningResult]) -> list[str]:
    first = find_best_point(results)
    alone = next((one for one in results if one.point is None), None)
    if first is None or first.point is None or alone is None:
        return []
    gain = first.likelihood - alone.likelihood
    found = f"the best point is better than a tagger without it (none) by {gain:.4f}"
    if gain <= 0:
        found = "no point is better than a tagger without the representation (none)"
    edges = [name for name, value in first.point.items() if _is_edge(name, value, results)]
    if not edges:
        return [found]
    return [found, f"at the edge of the grid: {', '.join(edges)}; further values may be better"]


def _is_edge(name: str, value: float, results: Sequence[TuningResult]) -> bool:
    """Whether a value is the smallest or the largest of several, and there can be a further one."""
    values = {one.point[name] for one in results if one.point is not None}
    return len(values) > 2 and 0 < value in (min(values), max(values))
