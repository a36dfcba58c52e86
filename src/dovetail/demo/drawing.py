"""How the show draws labelled text and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rich.table import Table
from rich.text import Text

from dovetail.chain.tagging import SpanPrediction
from dovetail.corpus import Sequence as Line
from dovetail.corpus.labels import spans
from dovetail.evaluate import Report, bootstrap

COLOURS = {
    "SPEAKER": "bright_cyan",
    "LOCATION": "bright_green",
    "STIME": "bright_yellow",
    "ETIME": "bright_magenta",
    "DATE": "bright_blue",
    "TITLE": "bright_red",
}
CONTEXT = 3  # tokens around those that matter


def score_table(reports: Mapping[str, Report]) -> Table:
    """F1 of each field, a column for each system; the best of a row is bold."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for system in reports:
        table.add_column(system, justify="right")
    table.add_column("in the text", justify="right")
    fields = dict.fromkeys(name for report in reports.values() for name in report.labels)
    for field in sorted(fields):
        counts = [report.labels.get(field) for report in reports.values()]
        support = max(count.support for count in counts if count)
        scores = [count.f1 if count else 0.0 for count in counts]
        table.add_row(Text(field, style=COLOURS.get(field, "")), *_best(scores), str(support))
    overall = [report.micro for report in reports.values()]
    scores = [counts.f1 for counts in overall]
    table.add_row(Text("all", style="bold"), *_best(scores), str(overall[0].support))
    intervals = [bootstrap(report) for report in reports.values()]
    bounds = [f"{100 * found.low:.1f} to {100 * found.high:.1f}" for found in intervals]
    table.add_row("95% of resamples", *bounds, style="dim")
    return table


def _best(scores: Sequence[float]) -> list[Text]:
    shown = [f"{100 * score:.1f}" for score in scores]
    best = f"{100 * max(scores):.1f}"
    return [Text(score, style="bold" if score == best else "") for score in shown]


def with_probabilities(line: Line, found: Sequence[SpanPrediction]) -> Text:
    """A line of raw text with its spans in colour, each with its label and its probability."""
    raw, offsets = line.text or "", line.offsets
    assert offsets is not None  # plain text always has them
    text = Text()
    at = 0
    for first, after, label, probability in found:
        start, end = int(offsets[first][0]), int(offsets[after - 1][1])
        text.append(raw[at:start])
        _append_span(text, label, raw[start:end], f" {probability:.2f}")
        at = end
    text.append(raw[at:])
    return text


def excerpt(words: Sequence[str], labels: Sequence[str], first: int, after: int) -> Text:
    """The tokens from the first to the one before the last, and those around, with their spans."""
    found = spans(labels)
    first, after = max(first - CONTEXT, 0), min(after + CONTEXT, len(words))
    first = min([first, *(s.start for s in found if s.start < first < s.end)])
    after = max([after, *(s.end for s in found if s.start < after < s.end)])
    text = Text("… " if first else "")
    inside = [span for span in found if first <= span.start < after]
    bounds = {first, after, *(s.start for s in inside), *(s.end for s in inside)}
    kinds = {span.start: span.label for span in inside}
    for start, end in pairwise(sorted(bounds)):
        piece = " ".join(words[start:end])
        if start in kinds:
            _append_span(text, kinds[start], piece)
        else:
            text.append(piece)
        text.append(" ")
    text.append("…" if after < len(words) else "")
    text.rstrip()
    return text


def _append_span(text: Text, label: str, content: str, after: str = "") -> None:
    colour = COLOURS.get(label, "bright_white")
    text.append(f"[{label} ", style=f"dim {colour}")
    text.append(content, style=f"bold {colour}")
    text.append(f"{after}]", style=f"dim {colour}")
