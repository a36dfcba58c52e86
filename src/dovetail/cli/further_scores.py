"""What ``dovetail eval`` tells beside its scores: one value of each field, and several labellings
together."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from dovetail.cli.labelled import Labelled
from dovetail.compare.formatting import format_p_value
from dovetail.corpus import detect_scheme
from dovetail.errors import DataError
from dovetail.evaluate import (
    Counts,
    chi_square_test,
    coverage,
    evaluate_fields,
    fields,
    match_spans,
)
from dovetail.evaluate.pairs import pair


def count_fields(found: Labelled) -> dict[str, Counts]:
    """Counts of each field, of which one value is taken in each document."""
    if detect_scheme([*found.gold, *found.predicted]) == "none":
        raise DataError("--fields needs labels of spans, such as B-name and I-name: leave it out")
    if not found.words:
        raise DataError("--fields compares the words of spans, which feature text has not")
    return evaluate_fields(found.words, found.gold, found.predicted, found.document_bounds)


def show_fields(counts: Mapping[str, Counts]) -> str:
    """Scores of fields as lines."""
    rows = [*counts.items(), ("all fields", fields.overall(counts))]
    width = max(len(name) for name, _ in rows)
    lines = [
        f"{name:{width}}  {100 * c.precision:9.2f}  {100 * c.recall:6.2f}  {100 * c.f1:6.2f}"
        for name, c in rows
    ]
    head = f"{'':{width}}  precision  recall      F1"
    return "\n".join(["one value of each field in a document", "", head, *lines])


def plain_fields(counts: Mapping[str, Counts]) -> dict[str, Any]:
    """Scores of fields, ready for JSON."""
    rows = {**counts, "all fields": fields.overall(counts)}
    return {n: {"precision": c.precision, "recall": c.recall, "f1": c.f1} for n, c in rows.items()}


def together(found: Mapping[str, Labelled]) -> dict[str, Any]:
    """The share of true spans that at least one labelling finds, and p-values of pairs by the
    chi-square test with Yates' correction; of labels that are no spans the latter alone, by
    tokens."""
    gold = next(iter(found.values())).gold
    spans = detect_scheme(gold) != "none"
    right = {
        name: match_spans(gold, one.predicted) if spans else pair(gold, one.predicted).same()
        for name, one in found.items()
    }
    tests = {
        f"{a}, {b}": chi_square_test(
            int(right[a].sum()), len(right[a]), int(right[b].sum()), len(right[b])
        )
        for a, b in combinations(found, 2)
    }
    made: dict[str, Any] = {"chi_square_p": tests}
    if spans:
        made["coverage"] = coverage(gold, *(one.predicted for one in found.values()))
    return made


def show_together(facts: Mapping[str, Any]) -> str:
    """The same in words."""
    lines = [
        f"chi-square test with Yates' correction, {names}: p {format_p_value(p)}"
        for names, p in facts["chi_square_p"].items()
    ]
    if "coverage" in facts:
        lines.insert(0, f"coverage of all together (ICR): {100 * facts['coverage']:.2f}")
    return "\n".join(lines)
