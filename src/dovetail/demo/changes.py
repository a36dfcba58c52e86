"""Lines whose fields joint decoding finds otherwise than the cascade, for better or for worse."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal, NamedTuple

from rich.table import Table
from rich.text import Text

from dovetail.corpus import Corpus
from dovetail.demo.drawing import excerpt
from dovetail.evaluate import Report
from dovetail.pipeline import Pipeline
from dovetail.pipeline.decode.explain import PipelineExplanation

Verdict = Literal["mended", "broken", "wrong both ways"]
Labels = list[list[str]]
COLOURS: dict[Verdict, str] = {"mended": "green", "broken": "red", "wrong both ways": "yellow"}


class Changed(NamedTuple):
    """A line of a corpus that two systems label differently."""

    line: int
    verdict: Verdict


def changed_lines(
    cascade: Labels, joint: Labels, cascade_report: Report, joint_report: Report
) -> list[Changed]:
    """All lines that differ. One is mended if fewer spans of it are wrong or missed, broken if
    more."""
    before, after = (
        report.sequences[:, 1:3].sum(axis=1) for report in (cascade_report, joint_report)
    )
    out = []
    for line, (one, other) in enumerate(zip(cascade, joint, strict=True)):
        if one == other:
            continue
        verdict: Verdict = "wrong both ways"
        if before[line] != after[line]:
            verdict = "mended" if after[line] < before[line] else "broken"
        out.append(Changed(line, verdict))
    return out


def counted(changes: list[Changed], lines: int) -> str:
    """How many lines changed, and how, in a sentence."""
    if not changes:
        return f"Joint decoding finds the same fields as the cascade in all {lines} lines."
    of = {verdict: sum(c.verdict == verdict for c in changes) for verdict in COLOURS}
    return (
        f"Joint decoding finds other fields than the cascade in {len(changes)} of {lines} lines: "
        f"{of['mended']} are better, {of['broken']} worse, "
        f"{of['wrong both ways']} as wrong as before."
    )


def examples(changes: list[Changed], each: int) -> list[Changed]:
    """As many mended as broken lines at most, evenly spread over those that there are."""
    out = []
    for verdict in ("mended", "broken"):
        found = [change for change in changes if change.verdict == verdict]
        n = min(each, len(found))
        out += [found[k * len(found) // n] for k in range(n)]
    return out


def drawn(
    change: Changed, pipeline: Pipeline, test: Corpus, cascade: Labels, joint: Labels
) -> Table:
    """What both systems find where they differ, what is right if neither is, and why."""
    line = test[change.line]
    words = [str(word) for word in line["word"]]
    gold = [str(label) for label in line["label"]]
    before, after = cascade[change.line], joint[change.line]
    places = [t for t in range(len(words)) if before[t] != after[t]]
    first, end = places[0], places[-1] + 1

    colour = COLOURS[change.verdict]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("", Text("cascade", "dim"), excerpt(words, before, first, end))
    found = excerpt(words, after, first, end)
    table.add_row(Text(change.verdict, colour), Text("joint", "dim"), found)
    if gold[first:end] not in (before[first:end], after[first:end]):
        table.add_row("", Text("right", "dim"), excerpt(words, gold, first, end))
    table.add_row("", Text("because", "dim"), main_reason(pipeline.explain(line, top=1000)))
    return table


def main_reason(explanation: PipelineExplanation) -> Text:
    """The nearest name that is read otherwise, and the feature that speaks most for the change."""
    text = Text()
    names = [change for change in explanation.changes if change.layer == "ner"]
    if names:
        place = next(change.token for change in explanation.changes if change.layer == "fields")
        name = min(names, key=lambda change: abs(change.token - place))
        text.append(f"“{name.word}” {_kind(name.joint)} rather than {_kind(name.cascade)}; ")
    gains: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for reason in explanation.reasons:
        gains[reason.layer, reason.source].append(reason.gain)
    (layer, source), found = max(gains.items(), key=lambda item: sum(item[1]))
    text.append(f"{layer}: ").append(source, style="bold").append(f" {sum(found):+.1f}")
    return text.append(f" at {len(found)} tokens" if len(found) > 1 else "")


def _kind(label: str) -> str:
    return label.partition("-")[2] or label
