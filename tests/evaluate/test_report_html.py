"""Reports in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from dovetail.evaluate import evaluate_spans, evaluate_tokens


def cells(html: str) -> list[list[str | None]]:
    rows = ElementTree.fromstring(f"<div>{html}</div>").iter("tr")
    return [[cell.text for cell in row] for row in rows]


def test_a_table_of_the_scores() -> None:
    found = cells(evaluate_spans([["B-PER", "O"]], [["B-PER", "B-LOC"]])._repr_html_())
    assert found[0] == [None, "precision", "recall", "F1", "support", "predicted"]
    assert found[1][:4] == ["LOC", "0.00", "0.00", "0.00"]
    assert found[3] == ["micro", "50.00", "100.00", "66.67", "1", "2"]


def test_labels_are_escaped() -> None:
    found = cells(evaluate_tokens([["<i>", "b"]], [["<i>", "<i>"]])._repr_html_())
    assert [row[0] for row in found[1:3]] == ["<i>", "b"]
