from __future__ import annotations

import random
import timeit
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import metrics
from seqeval.scheme import IOB2, IOBES

from dovetail.corpus import labels_from_spans, read_conll, spans
from dovetail.errors import DataError
from dovetail.evaluate import evaluate, evaluate_spans


def labellings(letters: str) -> st.SearchStrategy[list[tuple[list[str], list[str]]]]:
    """Pairs of equally long, often malformed label sequences."""
    label = st.sampled_from(["O", *(f"{p}-{t}" for p in letters for t in ("X", "Y", "a-b"))])
    sequence = st.lists(st.tuples(label, label), min_size=1, max_size=8).map(
        lambda pairs: ([a for a, _ in pairs], [b for _, b in pairs])
    )
    return st.lists(sequence, min_size=1, max_size=4)


def _compare(cases: list[tuple[list[str], list[str]]], **seqeval_options) -> None:
    gold, predicted = [g for g, _ in cases], [p for _, p in cases]
    report = evaluate_spans(gold, predicted, **_ours(seqeval_options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = metrics.classification_report(
            gold, predicted, output_dict=True, zero_division=0, **seqeval_options
        )
    names = {"micro avg", "macro avg", "weighted avg"}
    assert set(report.labels) == set(expected) - names
    for name, counts in report.labels.items():
        row = expected[name]
        ours = (counts.precision, counts.recall, counts.f1)
        assert ours == pytest.approx((row["precision"], row["recall"], row["f1-score"]))
        assert counts.support == row["support"]
    micro = expected["micro avg"]
    assert (report.micro.precision, report.micro.recall, report.micro.f1) == pytest.approx(
        (micro["precision"], micro["recall"], micro["f1-score"])
    )
    macro = expected["macro avg"]
    assert tuple(report.macro) == pytest.approx(
        (macro["precision"], macro["recall"], macro["f1-score"])
    )
    assert report.accuracy == pytest.approx(metrics.accuracy_score(gold, predicted))


def _ours(seqeval_options: dict) -> dict:
    if "scheme" not in seqeval_options:
        return {}
    return {"strict": True, "scheme": seqeval_options["scheme"].__name__}


def _has_spans(cases, scheme: str) -> bool:
    return any(spans(labels, scheme) for case in cases for labels in case)


@settings(max_examples=200, deadline=None)
@given(labellings("BI") | labellings("BIES"))
def test_lenient_scores_are_seqevals(cases) -> None:
    if _has_spans(cases, "conlleval"):
        _compare(cases)


@settings(max_examples=100, deadline=None)
@given(labellings("BI"))
def test_strict_iob2_scores_are_seqevals(cases) -> None:
    if _has_spans(cases, "IOB2"):
        _compare(cases, mode="strict", scheme=IOB2)


@settings(max_examples=100, deadline=None)
@given(labellings("BIES"))
def test_strict_iobes_scores_are_seqevals(cases) -> None:
    if _has_spans(cases, "IOBES"):
        _compare(cases, mode="strict", scheme=IOBES)


@given(labellings("BIES"))
def test_sequences_add_up_to_the_whole(cases) -> None:
    gold, predicted = [g for g, _ in cases], [p for _, p in cases]
    report = evaluate_spans(gold, predicted)
    for i, row in enumerate(report.sequences.tolist()):
        alone = evaluate_spans(gold[i : i + 1], predicted[i : i + 1])
        assert alone.sequences.tolist() == [row]
        assert (alone.micro.tp, alone.micro.fp, alone.micro.fn) == tuple(row[:3])
    labels = report.labels.values()
    micro = report.micro
    assert micro.tp == sum(c.tp for c in labels)
    assert micro.fp == sum(c.fp for c in labels)
    assert micro.fn == sum(c.fn for c in labels)


def test_empty_sequences_and_no_sequences() -> None:
    report = evaluate_spans([[], ["B-X"], []], [[], ["B-X"], []])
    assert report.sequences.tolist() == [[0, 0, 0, 0, 0], [1, 0, 0, 1, 1], [0, 0, 0, 0, 0]]
    nothing = evaluate_spans([], [])
    assert (nothing.micro.f1, nothing.macro.f1, nothing.accuracy) == (0, 0, 0)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O"]], [], "1 gold sequences but 0 predicted"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sequence 2: 2 gold labels but 1 predicted"),
        (
            [["O"], ["O", None]],
            [["O"], ["O", "O"]],
            "sequence 2, token 2: the gold label is missing",
        ),
        ([["NN"]], [["O"]], "'NN' is not a label of a span scheme"),
    ],
)
def test_bad_input_is_named(gold, predicted, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate_spans(gold, predicted)


def test_strict_needs_a_span_scheme() -> None:
    with pytest.raises(DataError, match="by tokens"):
        evaluate_spans([["NN"]], [["NN"]], strict=True)


def test_strict_detects_the_scheme() -> None:
    gold = [["B-X", "I-X", "O", "B-X"]]
    assert evaluate_spans(gold, [["B-X", "I-X", "O", "I-X"]]).micro.f1 == 1
    assert evaluate_spans(gold, [["B-X", "I-X", "O", "I-X"]], strict=True).micro.recall == 0.5


def test_kind_of_evaluation_is_chosen() -> None:
    assert evaluate([["O"]], [["B-X"]]).kind == "spans"
    assert evaluate([["NN"]], [["B-X"]]).kind == "tokens"
    assert evaluate([["B-X"]], [["B-X"]], scheme="none").kind == "tokens"
    assert evaluate([["B-X"]], [["I-X"]], scheme="IOB2").micro.f1 == 1


def test_fifty_thousand_tokens_are_quick() -> None:
    rng = random.Random(0)
    sequence = labels_from_spans([(2, 4, "PER"), (9, 10, "LOC")], 20)
    gold = [sequence] * 2500
    predicted = [rng.sample(sequence, 20) for _ in gold]
    assert min(timeit.repeat(lambda: evaluate_spans(gold, predicted), number=1)) < 0.2


def test_real_gold_against_itself(shared_data) -> None:
    labels = read_conll(shared_data / "conll2003" / "eng.testb.gz").lists("label")
    report = evaluate(labels, labels)
    assert {name: c.tp for name, c in report.labels.items()} == {
        "LOC": 1668,
        "MISC": 702,
        "ORG": 1661,
        "PER": 1617,
    }
    assert report.micro.f1 == report.accuracy == 1
