"""How good the values of fields are: scores of each, and what became of it in each mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dovetail.evaluate import Counts
from dovetail.evaluate.fields import Choice, Looks, score_values, take_values
from experiments.common.scores import plain_scores

FIELDS = ("stime", "etime", "location", "speaker")
OUTCOMES = {"right": "r", "wrong": "w", "missed": "m", "spurious": "s", "absent": "-"}


def by_field(counts: Mapping[str, Counts]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each field."""
    none = Counts(0, 0, 0)
    return {field: plain_scores(counts.get(field, none)) for field in FIELDS}


def overall(types: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The mean over the fields, which is what the paper calls overall."""
    names = ("precision", "recall", "f1")
    return {name: sum(types[field][name] for field in FIELDS) / len(FIELDS) for name in names}


def overall_f1(
    truth: Sequence[dict[str, set[str]]], looks: Sequence[Looks], choices: Mapping[str, Choice]
) -> float:
    """The mean F1 of the fields, of values taken as the choices say."""
    found = [take_values(one, choices) for one in looks]
    return overall(by_field(score_values(truth, found)))["f1"]


def score_fields(
    truth: Sequence[dict[str, set[str]]], looks: Sequence[Looks], choices: dict[str, Choice]
) -> dict[str, object]:
    """What is kept of a test: scores, and a letter for each field and document."""
    found = [take_values(document, choices) for document in looks]
    letters = dict.fromkeys(FIELDS, "")
    for true, values in zip(truth, found, strict=True):
        for field in FIELDS:
            known, value = true.get(field, set()), values.get(field)
            if value is None:
                letters[field] += OUTCOMES["missed" if known else "absent"]
            elif value in known:
                letters[field] += OUTCOMES["right"]
            else:
                letters[field] += OUTCOMES["wrong" if known else "spurious"]
    types = by_field(score_values(truth, found))
    return {"overall": overall(types), "types": types, "outcomes": letters}
