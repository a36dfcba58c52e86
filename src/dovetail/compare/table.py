"""The scores of a comparison as a table for terminals, and as plain text elsewhere."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from dovetail.compare.formatting import (
    describe_data_saved,
    describe_difference,
    describe_measure,
    describe_reliability,
    explain_stars,
    format_spread,
    mark_significance,
)
from dovetail.compare.summary import Summary

NO_STAR = "\u00a0"  # holds the place of a star, where a plain space would be cut off
PLAIN_WIDTH = 10_000  # text in a file is never folded


def score_table(summary: Summary) -> Table:
    """F1 of each system, a column each: overall and by type, then overall at smaller sizes.

    The best of a row is bold; stars mark what differs from the reference.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("F1")
    for system in summary.systems:
        table.add_column(Text(system), justify="right")
    full = summary.full_size
    for name in (None, *summary.types):
        title = "overall" if name is None else name
        table.add_row(Text(title), *_cells(summary, full, name), end_section=name is None)
    if len(summary.sizes) > 1:
        table.add_section()
        for size in summary.sizes:
            table.add_row(f"{size:,} {summary.unit}", *_cells(summary, size, None))
    return table


def findings(summary: Summary) -> list[str]:
    """What the table says in sentences: every overall difference at the largest size that was
    measured on all splits, data saved, and how far probabilities are off."""
    size = _largest_tested(summary)
    where = "" if size == summary.full_size else f"with {size:,} {summary.unit}, "
    return [
        *(
            where + describe_difference(found)
            for found in summary.differences
            if found.size == size and found.type is None
        ),
        *(describe_data_saved(saved, summary) for saved in summary.data_saved),
        *(describe_reliability(system, found) for system, found in summary.reliability.items()),
        *(describe_measure(name, summary) for name in summary.measures),
    ]


def _largest_tested(summary: Summary) -> int:
    """The largest size on all splits: all that there is to train on may be there only once."""
    scores = [summary.score(summary.reference, size) for size in summary.sizes]
    whole = [s.size for s in scores if s is not None and s.f1.n_splits == summary.n_splits]
    return max(whole, default=summary.full_size)


def for_terminal(summary: Summary) -> Group:
    """The table, what its signs mean, and the findings; print it with a rich console."""
    lines = [Text(line, style="dim") for line in _legend(summary)]
    sentences = [Text(f"- {sentence}") for sentence in findings(summary)]
    return Group(score_table(summary), *lines, Text(), *sentences)


def as_text(summary: Summary) -> str:
    """The same as plain text, for a file or a pipe."""
    console = Console(file=io.StringIO(), width=PLAIN_WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(for_terminal(summary))
    lines = captured.get().replace(NO_STAR, " ").splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _cells(summary: Summary, size: int, type: str | None) -> list[Text]:
    cells = []
    best = summary.best(size, type)
    for system in summary.systems:
        found = summary.f1(system, size, type)
        if found is None:
            cells.append(Text("-", style="dim"))
            continue
        mark = mark_significance(summary.difference(system, summary.reference, size, type))
        text = format_spread(found) + mark.ljust(2, NO_STAR)
        cells.append(Text(text, style="bold" if system == best else ""))
    return cells


def _legend(summary: Summary) -> list[str]:
    if summary.n_splits == 1:
        return [f"trained on {summary.full_size:,} {summary.unit}; one split, so nothing is tested"]
    return [
        f"mean ± standard deviation over {summary.n_splits} splits, trained on "
        f"{summary.full_size:,} {summary.unit} unless said otherwise",
        explain_stars(summary.reference),
    ]
