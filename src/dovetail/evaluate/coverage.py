"""How much of the truth some models find together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus.labels import find_spans
from dovetail.errors import DataError
from dovetail.evaluate.pairs import Labels, pair


def match_spans(gold: Labels, predicted: Labels) -> NDArray[np.bool_]:
    """For each true span, in order, whether a labelling has it with its borders and its type.

    >>> match_spans([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]]).tolist()
    [True, False]
    """
    labels = pair(gold, predicted)
    types: dict[str, int] = {}
    true = find_spans(labels.gold, labels.bounds, types, "conlleval")
    found = find_spans(labels.predicted, labels.bounds, types, "conlleval")
    n_tokens = int(labels.bounds[-1])
    end_of, type_of = np.zeros(n_tokens, np.int64), np.full(n_tokens, -1)
    end_of[found.starts], type_of[found.starts] = found.ends, found.types
    right = (end_of[true.starts] == true.ends) & (type_of[true.starts] == true.types)
    return np.asarray(right, np.bool_)


def coverage(gold: Labels, *predictions: Labels) -> float:
    """The information coverage rate of He et al. (2009): the share of the true spans that at least
    one of the labellings has.

    >>> coverage([["B-PER", "B-LOC"]], [["B-PER", "O"]], [["O", "B-LOC"]])
    1.0
    """
    if not predictions:
        raise DataError("give at least one labelling to find the coverage of")
    together = np.logical_or.reduce([match_spans(gold, each) for each in predictions])
    return float(together.mean()) if together.size else 0.0
