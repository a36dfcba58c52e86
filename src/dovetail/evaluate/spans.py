"""Scores by spans: a predicted span counts if its borders and its type are exactly right."""

from __future__ import annotations

import numpy as np

from dovetail.corpus import Scheme, detect_scheme
from dovetail.corpus.labels import Reading, find_spans
from dovetail.errors import DataError
from dovetail.evaluate.pairs import Labels, pair
from dovetail.evaluate.report import Counts, Report


def evaluate_spans(
    gold: Labels, predicted: Labels, *, strict: bool = False, scheme: Scheme | None = None
) -> Report:
    """Compare the spans of two labellings, one list of labels for each sequence.

    By default labels are read leniently, which gives the numbers of conlleval and of seqeval
    whatever the scheme. With ``strict`` only whole legal spans of ``scheme`` count (seqeval's
    strict mode); if no scheme is given, that of the gold labels is detected.

    >>> report = evaluate_spans([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]])
    >>> report.micro.f1, round(report.accuracy, 3)
    (0.0, 0.667)
    """
    labels = pair(gold, predicted)
    reading: Reading = "conlleval"
    if strict:
        scheme = detect_scheme(gold) if scheme is None else scheme
        if scheme == "none":
            raise DataError("plain labels have no spans: evaluate them by tokens")
        reading = scheme
    types: dict[str, int] = {}
    true = find_spans(labels.gold, labels.bounds, types, reading)
    found = find_spans(labels.predicted, labels.bounds, types, reading)

    # Spans of one labelling never share a start, so a span is looked up by its start.
    n_tokens = int(labels.bounds[-1])
    end_of = np.zeros(n_tokens, dtype=np.int64)
    type_of = np.zeros(n_tokens, dtype=np.int64)
    end_of[true.starts], type_of[true.starts] = true.ends, true.types
    right = (end_of[found.starts] == found.ends) & (type_of[found.starts] == found.types)

    n = len(types)
    tp = np.bincount(found.types[right], minlength=n)
    fp = np.bincount(found.types[~right], minlength=n)
    fn = np.bincount(true.types, minlength=n) - tp
    per_sequence_tp = labels.per_sequence(found.starts[right])
    sequences = [
        per_sequence_tp,
        labels.per_sequence(found.starts[~right]),
        labels.per_sequence(true.starts) - per_sequence_tp,
        labels.per_sequence(np.flatnonzero(labels.same())),
        np.diff(labels.bounds),
    ]
    counts = {name: Counts(int(tp[i]), int(fp[i]), int(fn[i])) for name, i in types.items()}
    seen = {name: c for name, c in sorted(counts.items()) if c.support or c.predicted}
    return Report("spans", seen, np.stack(sequences, axis=1))
