"""One value for each field of a document: how mail, forms and records are scored.

A document may mention a field several times, in several spellings. One of the predicted mentions is
selected; it is right if it equals any of the true mentions of that field in that document, apart
from white space (Freitag, 1998).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dovetail.evaluate.ratio import RatioScore, ratio
from dovetail.evaluate.report import Counts


class Mention(NamedTuple):
    """A predicted mention of a field, and its probability."""

    field: str
    text: str
    probability: float = 1.0


Rule = Callable[[Sequence[Mention]], str]
"""Selects one value from all mentions of one field in one document, in their order."""

Looks = dict[float, Sequence[Mention]]
"""The mentions predicted in one document, by the recall bias of the prediction; 0 is none."""


class Choice(NamedTuple):
    """How the value of a field is selected: the rule, and the recall bias of a second prediction
    where the first finds no mention; 0 makes none."""

    rule: str = "most_frequent"
    recall_bias: float = 0.0


def first(mentions: Sequence[Mention]) -> str:
    """The first mention."""
    return normalise(mentions[0].text)


def most_frequent(mentions: Sequence[Mention]) -> str:
    """The most frequent value; of equals the first."""
    counts = Counter(normalise(mention.text) for mention in mentions)
    return max(counts, key=lambda text: counts[text])


def most_probable(mentions: Sequence[Mention]) -> str:
    """The most probable mention."""
    return normalise(max(mentions, key=lambda mention: mention.probability).text)


def expected_most(mentions: Sequence[Mention]) -> str:
    """The value with the largest expected number of mentions: the sum of their probabilities."""
    sums: dict[str, float] = {}
    for mention in mentions:
        text = normalise(mention.text)
        sums[text] = sums.get(text, 0.0) + mention.probability
    return max(sums, key=lambda text: sums[text])


RULES: dict[str, Rule] = {
    "first": first,
    "most_frequent": most_frequent,
    "most_probable": most_probable,
    "expected_most": expected_most,
}


def normalise(text: str) -> str:
    """A value with single blanks between its words.

    >>> normalise(" Wean  Hall\\n 5409 ")
    'Wean Hall 5409'
    """
    return " ".join(text.split())


def select_values(
    mentions: Sequence[Mention], rules: Mapping[str, Rule] | Rule = most_frequent
) -> dict[str, str]:
    """One value for each field that is mentioned, by a rule for all fields or one for each.

    >>> found = [Mention("who", "Ada B."), Mention("who", "Ada"), Mention("who", "Ada")]
    >>> select_values(found)
    {'who': 'Ada'}
    """
    by_field: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_field.setdefault(mention.field, []).append(mention)
    return {
        field: (rules[field] if isinstance(rules, Mapping) else rules)(found)
        for field, found in by_field.items()
    }


def take_values(looks: Looks, choices: Mapping[str, Choice]) -> dict[str, str]:
    """One value for each field of a document for which the first or second prediction has any.

    >>> looks = {0.0: [Mention("who", "Ada")], 1.0: [Mention("where", "hall")]}
    >>> take_values(looks, {"who": Choice("first", 1.0), "where": Choice("first", 1.0)})
    {'who': 'Ada', 'where': 'hall'}
    """
    out = {}
    for field, choice in choices.items():
        for amount in sorted({0.0, choice.recall_bias}):
            found = [mention for mention in looks.get(amount, ()) if mention.field == field]
            if found:
                out[field] = RULES[choice.rule](found)
                break
    return out


def choose(
    truth: Sequence[Mapping[str, set[str]]],
    looks: Sequence[Looks],
    fields: Sequence[str],
    *,
    rules: Sequence[str] = tuple(RULES),
    recall_biases: Sequence[float] = (0.0,),
    usual: Choice | None = None,
) -> dict[str, Choice]:
    """For each field the rule and the recall bias that give the best F1; of equals the first ones.

    The documents should be ones that the models were not trained on. Where they are few, the best
    is often so by chance: with ``usual``, that one is kept unless the best is significantly better.

    >>> truth = [{"who": {"Ada"}}, {"who": {"Bob"}}]
    >>> looks = [{0.0: [Mention("who", "Eve"), Mention("who", "Ada"), Mention("who", "Ada")]},
    ...          {0.0: [], 1.0: [Mention("who", "Bob")]}]
    >>> choose(truth, looks, ["who"], recall_biases=[0.0, 1.0])
    {'who': Choice(rule='most_frequent', recall_bias=1.0)}
    >>> choose(truth, looks, ["who"], recall_biases=[0.0, 1.0], usual=Choice())
    {'who': Choice(rule='most_frequent', recall_bias=0.0)}
    """
    choices = [Choice(rule, amount) for amount in recall_biases for rule in rules]
    out = {}
    for field in fields:
        scores = {choice: _score_field(truth, looks, field, choice) for choice in choices}
        best = max(choices, key=lambda choice: scores[choice].score)
        if usual is not None:
            as_usual = _score_field(truth, looks, field, usual)
            best = best if scores[best].is_significantly_better(as_usual) else usual
        out[field] = best
    return out


def _score_field(
    truth: Sequence[Mapping[str, set[str]]], looks: Sequence[Looks], field: str, choice: Choice
) -> RatioScore:
    """F1 of one field, with the counts of each document."""
    found = (take_values(one, {field: choice}).get(field) for one in looks)
    counts = np.array(
        [_counts(true.get(field, ()), value) for true, value in zip(truth, found, strict=True)],
        dtype=np.float64,
    ).reshape(-1, 3)
    tp, fp, fn = counts.T
    return ratio(2 * tp, 2 * tp + fp + fn)


def score_values(
    truth: Sequence[Mapping[str, set[str]]], found: Sequence[Mapping[str, str]]
) -> dict[str, Counts]:
    """Counts for each field over documents: true values of each, and the one that was taken.

    A document that has a field, and for which another value was taken, counts against both
    precision and recall.

    >>> counts = score_values([{"who": {"Ada", "Ada B."}}, {}], [{"who": "Ada"}, {"who": "Bob"}])
    >>> counts["who"]
    Counts(tp=1, fp=1, fn=0)
    """
    fields = {field for document in (*truth, *found) for field in document}
    out = {}
    for field in sorted(fields):
        pairs = zip(truth, found, strict=True)
        each = [_counts(true.get(field, ()), taken.get(field)) for true, taken in pairs]
        out[field] = Counts(*(sum(column) for column in zip(*each, strict=True)))
    return out


def _counts(true: Iterable[str], value: str | None) -> tuple[int, int, int]:
    """Right, wrong and missed values of one field in one document."""
    known = {normalise(text) for text in true}
    hit = value is not None and normalise(value) in known
    return int(hit), int(value is not None and not hit), int(bool(known) and not hit)


def overall(counts: Mapping[str, Counts]) -> Counts:
    """All fields together."""
    return Counts(
        sum(c.tp for c in counts.values()),
        sum(c.fp for c in counts.values()),
        sum(c.fn for c in counts.values()),
    )
