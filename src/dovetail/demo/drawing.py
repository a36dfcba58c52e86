"""How the show draws labelled text and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from dovetail.chain.tagging import SpanPrediction
from dovetail.compare import Summary
from dovetail.compare.formatting import format_percent
from dovetail.corpus import Sequence as Line

COLOURS = {
    "SPEAKER": "bright_cyan",
    "LOCATION": "bright_green",
    "STIME": "bright_yellow",
    "ETIME": "bright_magenta",
    "DATE": "bright_blue",
    "TITLE": "bright_red",
}


def score_table(summary: Summary, systems: Mapping[str, str]) -> Table:
    """F1 at each size, a column for each system under the name that it is given."""
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 2))
    table.add_column("labelled lines", justify="right")
    for title in systems.values():
        table.add_column(title, justify="right")
    for size in sorted(summary.sizes):
        scores = [mean_f1(summary, system, size) for system in systems]
        cells = [
            Text(format_percent(score), style="bold" if score == max(scores) else "")
            for score in scores
        ]
        table.add_row(str(size), *cells)
    return table


def mean_f1(summary: Summary, system: str, size: int) -> float:
    """The F1 of a system at a size, of those that were compared."""
    found = summary.f1(system, size)
    assert found is not None
    return found.mean


def with_probabilities(line: Line, spans: Sequence[SpanPrediction]) -> Text:
    """A line of raw text with its spans in colour, each with its label and its probability."""
    raw, offsets = line.text or "", line.offsets
    assert offsets is not None  # plain text always has them
    text = Text()
    at = 0
    for first, after, label, probability in spans:
        start, end = int(offsets[first][0]), int(offsets[after - 1][1])
        colour = COLOURS.get(label, "bright_white")
        text.append(raw[at:start])
        text.append(f"[{label} ", style=f"dim {colour}")
        text.append(raw[start:end], style=f"bold {colour}")
        text.append(f" {probability:.2f}]", style=f"dim {colour}")
        at = end
    text.append(raw[at:])
    return text
