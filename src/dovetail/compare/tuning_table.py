"""The points of a grid as a table for terminals, and as plain text elsewhere."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from dovetail.compare.formatting import format_percent
from dovetail.compare.table import PLAIN_WIDTH
from dovetail.compare.tuning_results import Criterion, TuningResult, find_best_point, show_value

PROPERTIES = {
    "entropy": "H(label | state)",
    "distance": "source to target",
    "predict": "layers told",
}


class Baseline(NamedTuple):
    """What points have to beat: how the table calls it, and how it is called in sentences."""

    title: str
    words: str
    words_if_best: str


NO_REPRESENTATION = Baseline(
    "none", "a tagger without it (none)", "a tagger without the representation (none)"
)
DEFAULT_PARAMETERS = Baseline("defaults", "the defaults", "the defaults")


def for_terminal(
    results: Sequence[TuningResult],
    strengths: Sequence[str],
    baseline: Baseline = NO_REPRESENTATION,
    text: str = "the development text",
    rank: Criterion = "likelihood",
) -> Group:
    """The table, and what it says; print it with a rich console."""
    legend = [Text(f"log-likelihood of the labels of {text}, in nats a token", style="dim")]
    if rank == "bound":
        words = f"bound: share of wrong labels in {text}, plus the distance from source to target"
        legend.append(Text(words, style="dim"))
    lines = [Text(line) for line in _findings(results, baseline, rank)]
    return Group(_table(results, strengths, baseline, rank), *legend, *lines)


def as_text(
    results: Sequence[TuningResult],
    strengths: Sequence[str],
    baseline: Baseline = NO_REPRESENTATION,
    text: str = "the development text",
    rank: Criterion = "likelihood",
) -> str:
    """The same as plain text, for a file or a pipe."""
    console = Console(file=io.StringIO(), width=PLAIN_WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(for_terminal(results, strengths, baseline, text, rank))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _table(
    results: Sequence[TuningResult],
    strengths: Sequence[str],
    baseline: Baseline,
    rank: Criterion,
) -> Table:
    """A row for each point, the best in bold."""
    found = {name for one in results for name, value in one.properties.items() if value is not None}
    measured = [name for name in PROPERTIES if name in found]
    spans = any(one.f1 is not None for one in results)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    first_of_all = ["bound"] if rank == "bound" else []
    scores = [*first_of_all, "log-likelihood", *(["F1"] if spans else []), "accuracy"]
    for title in (*(strengths or ["strengths"]), *scores, *map(PROPERTIES.__getitem__, measured)):
        table.add_column(title, justify="right")
    first = find_best_point(results)
    for one in results:
        cells = [_number(one.bound)] if rank == "bound" else []
        cells.append(f"{one.likelihood:.4f}")
        if spans:
            cells.append(format_percent(one.f1 or 0.0))
        cells.append(format_percent(one.accuracy))
        cells += [_number(one.properties.get(name)) for name in measured]
        table.add_row(
            *_place(one, strengths, baseline), *cells, style="bold" if one is first else ""
        )
    return table


def _place(one: TuningResult, strengths: Sequence[str], baseline: Baseline) -> list[str]:
    if one.point is None:
        return [baseline.title, *[""] * (len(strengths) - 1)]
    return [show_value(one.point[name]) for name in strengths] or ["default"]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _findings(results: Sequence[TuningResult], baseline: Baseline, rank: Criterion) -> list[str]:
    first = find_best_point(results)
    alone = next((one for one in results if one.point is None), None)
    if first is None or first.point is None or alone is None:
        return []
    gain = first.likelihood - alone.likelihood
    which = "the best point" if rank == "likelihood" else "the likelihood at the best point"
    found = f"{which} is better than {baseline.words} by {gain:.4f}"
    if gain <= 0 and rank == "likelihood":
        found = f"no point is better than {baseline.words_if_best}"
    elif gain <= 0:
        found = f"{which} is no better than that of {baseline.words_if_best}"
    edges = [name for name, value in first.point.items() if _is_edge(name, value, results)]
    if not edges:
        return [found]
    return [found, f"at the edge of the grid: {', '.join(edges)}; further values may be better"]


def _is_edge(name: str, value: float | str, results: Sequence[TuningResult]) -> bool:
    """Whether a number is the smallest or largest of several, and there can be a further one."""
    given = [one.point[name] for one in results if one.point is not None]
    values = {number for number in given if not isinstance(number, str)}
    if isinstance(value, str) or len(values) < 3:
        return False
    return 0 < value in (min(values), max(values))
