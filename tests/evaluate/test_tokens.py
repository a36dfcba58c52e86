from __future__ import annotations

import json
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from dovetail.errors import DataError
from dovetail.evaluate import evaluate_spans, evaluate_tokens

label = st.sampled_from(["A", "B", "C", "D"])
cases = st.lists(st.lists(st.tuples(label, label), max_size=6), max_size=5)


@settings(deadline=None)
@given(cases)
def test_scores_are_sklearns(sequences) -> None:
    gold = [[g for g, _ in s] for s in sequences]
    predicted = [[p for _, p in s] for s in sequences]
    report = evaluate_tokens(gold, predicted)
    flat_gold, flat_predicted = list(chain(*gold)), list(chain(*predicted))
    if not flat_gold:
        assert report.accuracy == 0
        return
    names = sorted({*flat_gold, *flat_predicted})
    rows = zip(
        *precision_recall_fscore_support(flat_gold, flat_predicted, labels=names, zero_division=0),
        strict=True,
    )
    assert list(report.labels) == names
    for counts, (precision, recall, f1, support) in zip(report.labels.values(), rows, strict=True):
        assert (counts.precision, counts.recall) == pytest.approx((precision, recall))
        assert counts.f1 == pytest.approx(f1)
        assert counts.support == support
    assert report.accuracy == pytest.approx(accuracy_score(flat_gold, flat_predicted))
    assert report.micro.f1 == pytest.approx(report.accuracy)
    macro = precision_recall_fscore_support(
        flat_gold, flat_predicted, labels=names, average="macro", zero_division=0
    )
    assert tuple(report.macro) == pytest.approx(macro[:3])


def test_mismatch_is_named() -> None:
    with pytest.raises(DataError, match="sequence 1: 1 gold labels but 2 predicted"):
        evaluate_tokens([["A"]], [["A", "B"]])


def test_report_is_ready_for_json() -> None:
    report = evaluate_spans([["B-X", "O"]], [["B-X", "B-Y"]])
    data = json.loads(json.dumps(report.to_dict()))
    assert data["kind"] == "spans"
    assert data["accuracy"] == 0.5
    assert data["micro"]["f1"] == pytest.approx(2 / 3)
    assert data["labels"]["Y"] == {
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "support": 0,
        "predicted": 1,
        "correct": 0,
    }


def test_table_of_tokens() -> None:
    lines = evaluate_tokens([["A", "BB"]], [["A", "A"]]).to_text().splitlines()
    assert lines[0] == "2 tokens in 1 sequences; accuracy 50.00"
    assert lines[3].split() == ["A", "50.00", "100.00", "66.67", "1", "2"]
    assert len({len(line) for line in lines[2:6]}) == 1
