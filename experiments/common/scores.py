"""Scores as results keep them."""

from __future__ import annotations

from dovetail.evaluate import Counts


def plain_scores(counts: Counts) -> dict[str, float]:
    """Precision, recall and F1 as plain values."""
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
