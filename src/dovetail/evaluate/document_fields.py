"""Labelled documents as records: one value of each field in each document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dovetail.corpus.labels import spans
from dovetail.errors import DataError
from dovetail.evaluate.fields import Mention, Rule, most_frequent, score_values, select_values
from dovetail.evaluate.pairs import Labels
from dovetail.evaluate.report import Counts


def evaluate_fields(
    words: Labels,
    gold: Labels,
    predicted: Labels,
    document_bounds: Any = None,
    rule: Rule = most_frequent,
) -> dict[str, Counts]:
    """Counts for each field, of which one predicted value is taken in each document: right if the
    document has it (Freitag 1998). Without ``document_bounds`` each sequence is a document.

    >>> words, gold = [["by", "Ada", "or", "Eve"]], [["O", "B-who", "O", "B-who"]]
    >>> evaluate_fields(words, gold, [["O", "B-who", "O", "O"]])["who"]
    Counts(tp=1, fp=0, fn=0)
    """
    if not len(words) == len(gold) == len(predicted):
        raise DataError(
            f"there are {len(words)} sequences of words, {len(gold)} of given labels and "
            f"{len(predicted)} of predicted ones: give the same text"
        )
    bounds = range(len(words) + 1) if document_bounds is None else document_bounds
    truth, taken = [], []
    for first, last in pairwise(int(bound) for bound in bounds):
        values: dict[str, set[str]] = {}
        for mention in _mentions(words[first:last], gold[first:last]):
            values.setdefault(mention.field, set()).add(mention.text)
        truth.append(values)
        taken.append(select_values(_mentions(words[first:last], predicted[first:last]), rule))
    return score_values(truth, taken)


def _mentions(words: Labels, labels: Labels) -> Sequence[Mention]:
    return [
        Mention(one.label, " ".join(word or "" for word in own[one.start : one.end]))
        for own, given in zip(words, labels, strict=True)
        for one in spans(given)
    ]
