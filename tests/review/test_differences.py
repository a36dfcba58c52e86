"""Differences between given and predicted labels."""

from __future__ import annotations

from dovetail.chain.tagging import SpanPrediction, Tagging
from dovetail.corpus.labels import spans
from dovetail.review import Difference, find_differences


def tagging(labels: list[str], confidences: list[float], probability: float = 0.7) -> Tagging:
    found = [] if "DT" in labels else [SpanPrediction(*s, probability) for s in spans(labels)]
    return Tagging(labels, confidences, 0.5, found, 0.1)


def differ(gold: str, found: str) -> list[Difference]:
    labels = found.split()
    tagged = tagging(labels, [0.9 - 0.1 * t for t in range(len(labels))])
    return find_differences(gold.split(), tagged, by_spans=True)


def test_the_same_spans_do_not_differ() -> None:
    assert differ("B-PER I-PER O", "B-PER I-PER O") == []
    assert differ("I-PER I-PER O", "B-PER I-PER O") == []


def test_kinds_of_differences() -> None:
    assert differ("B-PER I-PER O", "B-ORG I-ORG O") == [Difference(0, 2, "PER", "ORG", "type", 0.7)]
    assert differ("B-PER I-PER O", "O B-PER O") == [
        Difference(0, 2, "PER", "PER", "boundaries", 0.7)
    ]
    assert differ("O B-PER I-PER", "B-ORG I-ORG O") == [
        Difference(0, 3, "PER", "ORG", "type and boundaries", 0.7)
    ]


def test_a_missed_span_has_the_lowest_confidence_of_its_tokens() -> None:
    [found] = differ("B-PER I-PER O", "O O O")
    assert found == Difference(0, 2, "PER", None, "missed", 0.8)


def test_a_spurious_span_has_its_own_probability() -> None:
    assert differ("O O", "O B-LOC") == [Difference(1, 2, None, "LOC", "spurious", 0.7)]


def test_each_span_is_compared_once_with_the_one_that_shares_most() -> None:
    assert differ("B-PER I-PER I-PER O", "B-PER B-ORG I-ORG O") == [
        Difference(0, 1, None, "PER", "spurious", 0.7),
        Difference(0, 3, "PER", "ORG", "type and boundaries", 0.7),
    ]


def test_plain_labels_differ_by_token() -> None:
    tagged = tagging(["DT", "NN"], [0.9, 0.6])
    assert find_differences(["DT", "VB"], tagged, by_spans=False) == [
        Difference(1, 2, "VB", "NN", "label", 0.6)
    ]
