"""Reports on errors, and pages that show them."""

from __future__ import annotations

import json
import re

import pytest

from dovetail.chain.tagging import SpanPrediction, Tagging
from dovetail.corpus.labels import spans
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.review import Confusion, ErrorReport, review, review_page


def tagging(labels: str, confidences: list[float], probability: float) -> Tagging:
    found = [SpanPrediction(*span, probability) for span in spans(labels.split())]
    return Tagging(labels.split(), confidences, 0.5, found, 0.1)


WORDS = [["Ada", "spoke"], ["Rome", "slept"], ["by", "Bob"], ["in", "Oslo"]]
GOLD = [["B-PER", "O"], ["B-PER", "O"], ["O", "O"], ["O", "B-LOC"]]
TAGGED = [
    tagging("B-PER O", [0.6, 0.95], 0.6),
    tagging("B-LOC O", [0.97, 0.9], 0.97),
    tagging("O B-PER", [0.9, 0.7], 0.7),
    tagging("O B-LOC", [0.9, 0.99], 0.99),
]


@pytest.fixture
def report() -> ErrorReport:
    return review(WORDS, GOLD, TAGGED)


def test_sequences_are_sorted_by_confidence(report: ErrorReport) -> None:
    assert [one.index for one in report.wrong] == [1, 2]
    assert [one.index for one in report.doubted] == [0, 3]
    assert [one.confidence for one in report.doubted] == [0.6, 0.9]
    assert (report.n_right, report.share_right) == (2, 0.5)


def test_confusions(report: ErrorReport) -> None:
    assert report.confusions == [
        Confusion(None, "PER", "spurious", 1),
        Confusion("PER", "LOC", "type", 1),
    ]


def test_suspicious_are_those_that_a_model_is_sure_of(report: ErrorReport) -> None:
    [(sequence, difference)] = report.suspicious(0.9)
    assert sequence.text(difference) == "Rome"
    assert len(report.suspicious(0.5)) == 2
    with pytest.raises(DataError, match="give a probability"):
        report.suspicious(90)


def test_a_missed_span_of_words_that_are_nowhere_else_is_not_suspicious() -> None:
    words = [["Rome"], ["Oslo"], ["Oslo", "slept"]]
    gold = [["B-LOC"], ["B-LOC"], ["O", "O"]]
    missed = [tagging("O", [0.99], 0.5)] * 2 + [tagging("O O", [0.99, 0.99], 0.5)]
    [(sequence, _)] = review(words, gold, missed).suspicious()
    assert sequence.words == ["Oslo"]


def test_text(report: ErrorReport) -> None:
    shown = report.to_text(top=1)
    assert shown.startswith("2 of 4 sequences wholly right (50.0%)")
    assert (
        "wrong, most confident first (1 of 2)\nsequence 2: Rome slept\n  0.97  PER -> LOC: Rome"
        in shown
    )
    assert "right but doubted (1 of 2)\nsequence 1: Ada spoke\n  Ada is B-PER 0.60" in shown
    assert "sequence 2: Rome slept\n  0.97  PER -> LOC: Rome" in report.suspicious_to_text()


def test_plain_data(report: ErrorReport) -> None:
    facts = json.loads(json.dumps(report.to_dict(1)))
    assert facts["share_right"] == 0.5
    [wrong] = facts["wrong"]
    assert wrong["sequence"] == 2
    assert wrong["differences"][0]["text"] == "Rome"
    assert report.suspicious_to_list()[0]["predicted"] == "LOC"


def test_lengths_must_agree() -> None:
    with pytest.raises(DataError, match="give as many of each"):
        review(WORDS[:1], GOLD, TAGGED)
    with pytest.raises(DataError, match="sequence 1: 1 words, 2 given labels and 2 predicted"):
        review([["Ada"]], GOLD[:1], TAGGED[:1])


def test_nothing_to_report() -> None:
    assert review([], [], []).to_text() == "0 of 0 sequences wholly right (0.0%)"
    empty = review([[]], [[]], [Tagging([], [], 1.0, [], 0.0)])
    assert empty.share_right == 1
    assert empty.doubted == []


def test_page_is_escaped_and_needs_nothing_else() -> None:
    evil = '<script>alert("x")</script>'
    tagged = Tagging(["O", "O"], [0.95, 0.9], 0.5, [], 0.1)
    report = review([[evil, "&"]] * 2, [[f"B-{evil}", "O"]] * 2, [tagged] * 2)
    scores = {evil: evaluate([[f"B-{evil}", "O"]], [["O", "O"]])}
    page = review_page(evil, {evil: report}, scores=scores, suspicious_at_least=0.9)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Suspicious labels" in page
    assert "prefers-color-scheme: dark" in page
    assert not re.search(r"(src|href)=|https?:|url\(|@import", page)


def test_page_marks_what_differs(report: ErrorReport) -> None:
    page = review_page("Errors", {"": report})
    given, found = re.findall(r'<div class="tokens">.*?</div>', page)[:2]
    assert re.search(r'<mark class="differs" [^>]*>Rome<small>PER</small></mark> slept', given)
    assert re.search(r'<mark class="differs" [^>]*>Rome<small>LOC</small></mark> slept', found)
    assert "Suspicious" not in page


def test_page_names_the_words_of_a_suspicious_label(report: ErrorReport) -> None:
    page = review_page("Errors", {"": report}, suspicious_at_least=0.5)
    assert "PER → LOC: Rome, 0.970" in page
    assert "- → PER: Bob, 0.700" in page
