"""How good a labelling is: scores by spans or tokens, and how sure they are."""

from typing import Literal

from dovetail.corpus import Scheme, detect_scheme
from dovetail.evaluate import fields
from dovetail.evaluate.bootstrap import Interval, bootstrap, resample_totals
from dovetail.evaluate.calibration import Reliability, span_reliability
from dovetail.evaluate.chi_square import chi_square_test
from dovetail.evaluate.coverage import coverage, match_spans
from dovetail.evaluate.document_fields import evaluate_fields
from dovetail.evaluate.pairs import Labels
from dovetail.evaluate.report import Counts, Report, Scores
from dovetail.evaluate.significance import (
    PairedComparison,
    TTest,
    Wins,
    compare_paired,
    corrected_t_test,
    count_wins,
    paired_t_test,
)
from dovetail.evaluate.spans import evaluate_spans
from dovetail.evaluate.tokens import evaluate_tokens

__all__ = [
    "Counts",
    "Interval",
    "PairedComparison",
    "Reliability",
    "Report",
    "Scores",
    "TTest",
    "Wins",
    "bootstrap",
    "chi_square_test",
    "compare_paired",
    "corrected_t_test",
    "count_wins",
    "coverage",
    "evaluate",
    "evaluate_fields",
    "evaluate_spans",
    "evaluate_tokens",
    "fields",
    "match_spans",
    "paired_t_test",
    "resample_totals",
    "span_reliability",
]


def evaluate(gold: Labels, predicted: Labels, scheme: Scheme | Literal["auto"] = "auto") -> Report:
    """Compare two labellings: by spans if the labels are of a span scheme, else by tokens.

    >>> evaluate([["B-PER", "O"]], [["B-PER", "O"]]).kind
    'spans'
    >>> evaluate([["DT", "NN"]], [["DT", "NN"]]).kind
    'tokens'
    """
    if scheme == "auto":
        scheme = detect_scheme([*gold, *predicted])
    return evaluate_tokens(gold, predicted) if scheme == "none" else evaluate_spans(gold, predicted)
