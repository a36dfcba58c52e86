"""Scores by tokens, for plain labels such as parts of speech."""

from __future__ import annotations

import numpy as np

from dovetail.evaluate.pairs import Labels, pair
from dovetail.evaluate.report import Counts, Report


def evaluate_tokens(gold: Labels, predicted: Labels) -> Report:
    """Compare two labellings token by token, one list of labels for each sequence.

    >>> report = evaluate_tokens([["DT", "NN"], ["VB"]], [["DT", "VB"], ["VB"]])
    >>> round(report.accuracy, 3), report.labels["VB"].precision
    (0.667, 0.5)
    """
    labels = pair(gold, predicted)
    same = labels.same()
    names = sorted({*labels.gold.levels, *labels.predicted.levels})
    true = dict(zip(labels.gold.levels, np.bincount(labels.gold.codes).tolist(), strict=True))
    found = dict(
        zip(labels.predicted.levels, np.bincount(labels.predicted.codes).tolist(), strict=True)
    )
    hits = np.bincount(labels.gold.codes[same], minlength=len(labels.gold.levels)).tolist()
    right = dict(zip(labels.gold.levels, hits, strict=True))
    counts = {
        name: Counts(tp := right.get(name, 0), found.get(name, 0) - tp, true.get(name, 0) - tp)
        for name in names
    }
    correct = labels.per_sequence(np.flatnonzero(same))
    tokens = np.diff(labels.bounds)
    wrong = tokens - correct
    sequences = np.stack([correct, wrong, wrong, correct, tokens], axis=1)
    return Report("tokens", counts, sequences)
