"""Measures beside F1 of spans: one value of each field in a document, what systems find together,
and the chi-square test, as papers have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.compare.plan import Result
from dovetail.corpus import Corpus
from dovetail.evaluate import Report, chi_square_test, evaluate_fields, fields, match_spans
from dovetail.evaluate.pairs import Labels

Measures = dict[str, dict[str, float]]
"""By the name of a measure, a number for each system."""


def further_counts(test: Corpus, gold: Labels, predicted: Labels, report: Report) -> dict[str, Any]:
    """What the measures need of one cell, as plain data: right answers of all, and of spans which
    true ones were found, and F1 of one value a field."""
    if report.kind != "spans":
        right, total = (int(n) for n in report.sequences[:, 3:].sum(axis=0))
        return {"right": right, "total": total}
    found = match_spans(gold, predicted)
    words = test.lists(test.names[0])
    values = fields.overall(evaluate_fields(words, gold, predicted, test.document_bounds))
    return {
        "right": int(found.sum()),
        "total": len(found),
        "found": np.packbits(found).tobytes().hex(),
        "field_f1": values.f1,
    }


def summarize_measures(
    wanted: Sequence[str], cells: Mapping[str, Mapping[int, Result]], reference: str
) -> Measures:
    """The measures of systems, by their results in splits; systems whose results are older than
    these measures, or by tokens where spans are needed, have none."""
    made = {"fields": _fields, "coverage": _coverage, "chi-square": _chi_square}
    return {name: made[name](cells, reference) for name in wanted}


def _fields(cells: Mapping[str, Mapping[int, Result]], _: str) -> dict[str, float]:
    """F1 of one value a field, the mean of all splits."""
    return {
        system: float(np.mean([result["field_f1"] for result in own.values()]))
        for system, own in cells.items()
        if own and all("field_f1" in result for result in own.values())
    }


def _coverage(cells: Mapping[str, Mapping[int, Result]], reference: str) -> dict[str, float]:
    """The share of true spans that the reference or a system finds, over all splits."""
    out = {}
    for system, own in cells.items():
        pairs = [(own[k], cells[reference][k]) for k in own if k in cells[reference]]
        if not pairs or any("found" not in result for pair in pairs for result in pair):
            continue
        together = [_bits(a) | _bits(b) for a, b in pairs]
        out[system] = float(np.concatenate(together).mean())
    return out


def _chi_square(cells: Mapping[str, Mapping[int, Result]], reference: str) -> dict[str, float]:
    """p of a system and the reference, the answers of all splits taken for independent."""
    out = {}
    for system, own in cells.items():
        pairs = [(own[k], cells[reference][k]) for k in own if k in cells[reference]]
        if system == reference or not pairs or any("right" not in r for p in pairs for r in p):
            continue
        sums = [sum(pair[k][n] for pair in pairs) for k in (0, 1) for n in ("right", "total")]
        out[system] = chi_square_test(*sums)
    return out


def _bits(result: Result) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(result["found"]), np.uint8))
    return bits[: result["total"]].astype(bool)
