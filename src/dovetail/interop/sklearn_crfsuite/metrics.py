"""Scores of label sequences by scikit-learn's functions, as ``sklearn_crfsuite.metrics`` has them.

The ``flat_`` functions score tokens, whatever sequence they are in, and pass further arguments on
to scikit-learn. For scores of whole spans see `dovetail.evaluate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from dovetail.errors import DataError

Labels = Iterable[Iterable[str]]


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of tokens with the right label.

    >>> flat_accuracy_score([["A", "B"], ["B", "B"]], [["A", "A"], ["B", "B"]])
    0.75
    """
    from sklearn import metrics

    return float(metrics.accuracy_score(*_flatten(y_true, y_pred)))


def flat_precision_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """scikit-learn's ``precision_score`` over tokens."""
    from sklearn import metrics

    return metrics.precision_score(*_flatten(y_true, y_pred), **kwargs)


def flat_recall_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """scikit-learn's ``recall_score`` over tokens."""
    from sklearn import metrics

    return metrics.recall_score(*_flatten(y_true, y_pred), **kwargs)


def flat_f1_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """scikit-learn's ``f1_score`` over tokens."""
    from sklearn import metrics

    return metrics.f1_score(*_flatten(y_true, y_pred), **kwargs)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **kwargs: Any) -> Any:
    """scikit-learn's ``fbeta_score`` over tokens."""
    from sklearn import metrics

    return metrics.fbeta_score(*_flatten(y_true, y_pred), beta=beta, **kwargs)


def flat_classification_report(
    y_true: Labels, y_pred: Labels, labels: Sequence[str] | None = None, **kwargs: Any
) -> Any:
    """scikit-learn's ``classification_report`` over tokens."""
    from sklearn import metrics

    return metrics.classification_report(*_flatten(y_true, y_pred), labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of sequences with all labels right; 0 if there are none.

    >>> sequence_accuracy_score([["A", "B"], ["B", "B"]], [["A", "A"], ["B", "B"]])
    0.5
    """
    pairs = _pairs(y_true, y_pred)
    return sum(gold == predicted for gold, predicted in pairs) / len(pairs) if pairs else 0.0


def _flatten(y_true: Labels, y_pred: Labels) -> tuple[list[str], list[str]]:
    pairs = _pairs(y_true, y_pred)
    gold = list(chain.from_iterable(labels for labels, _ in pairs))
    return gold, list(chain.from_iterable(labels for _, labels in pairs))


def _pairs(y_true: Labels, y_pred: Labels) -> list[tuple[list[str], list[str]]]:
    gold, predicted = [list(labels) for labels in y_true], [list(labels) for labels in y_pred]
    if len(gold) != len(predicted):
        raise DataError(f"there are {len(gold)} sequences of labels but {len(predicted)} predicted")
    pairs = list(zip(gold, predicted, strict=True))
    for number, (one, other) in enumerate(pairs, start=1):
        if len(one) != len(other):
            raise DataError(
                f"sequence {number} has {len(one)} labels, but {len(other)} are predicted"
            )
    return pairs
