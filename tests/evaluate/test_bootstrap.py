from __future__ import annotations

import random
import timeit

import numpy as np
import pytest

from dovetail.errors import DataError
from dovetail.evaluate import Report, bootstrap, evaluate_spans, evaluate_tokens
from dovetail.evaluate.bootstrap import resample_totals


def _report(n: int = 400) -> Report:
    rng = random.Random(1)
    gold, predicted = [], []
    for _ in range(n):
        length = rng.randint(1, 12)
        gold.append([rng.choice(["O", "B-X", "B-Y"]) for _ in range(length)])
        predicted.append([g if rng.random() < 0.8 else rng.choice(["O", "B-X"]) for g in gold[-1]])
    return evaluate_spans(gold, predicted)


def _plain_bootstrap(report: Report, seed: int) -> tuple[float, float]:
    """The textbook procedure: draw sequences one by one."""
    rng = np.random.default_rng(seed)
    n = report.n_sequences
    scores = []
    for _ in range(2000):
        tp, fp, fn = report.sequences[rng.integers(n, size=n), :3].sum(axis=0)
        scores.append(2 * tp / (2 * tp + fp + fn))
    low, high = np.quantile(scores, [0.025, 0.975])
    return float(low), float(high)


def test_interval_is_that_of_the_plain_procedure() -> None:
    report = _report()
    score, low, high, level = bootstrap(report, resamples=4000)
    assert (score, level) == (pytest.approx(report.micro.f1), 0.95)
    assert (low, high) == pytest.approx(_plain_bootstrap(report, seed=5), abs=0.004)
    assert low < score < high


def test_same_seed_same_interval_and_level_widens() -> None:
    report = _report()
    assert bootstrap(report) == bootstrap(report, seed=0) != bootstrap(report, seed=1)
    assert bootstrap(report, seed=3) == bootstrap(report, seed=3)
    narrow, wide = bootstrap(report, level=0.5), bootstrap(report, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "accuracy"])
def test_metrics(metric) -> None:
    report = _report()
    expected = report.accuracy if metric == "accuracy" else getattr(report.micro, metric)
    assert bootstrap(report, metric).score == pytest.approx(expected)


def test_documents_are_drawn_whole() -> None:
    gold = [["A"]] * 100
    predicted = [["A"]] * 50 + [["B"]] * 50
    report = evaluate_tokens(gold, predicted)
    by_sequence = bootstrap(report)
    by_document = bootstrap(report, document_bounds=[0, 25, 50, 50, 75, 100])
    assert by_document.score == by_sequence.score == 0.5
    assert by_document.high - by_document.low > 2 * (by_sequence.high - by_sequence.low)
    with pytest.raises(DataError, match="document_bounds end at 7"):
        bootstrap(report, document_bounds=[0, 7])


def test_one_resample_and_one_unit_are_enough() -> None:
    assert bootstrap(evaluate_tokens([["A"]], [["A"]]), resamples=1) == (1, 1, 1, 0.95)


def test_totals_of_resamples() -> None:
    table = [[1, 10], [2, 20], [3, 30]]
    totals = resample_totals(table, resamples=2000)
    assert totals.shape == (2000, 2)
    assert (totals[:, 1] == 10 * totals[:, 0]).all()
    assert totals[:, 0].min() == 3
    assert totals[:, 0].max() == 9
    assert totals[:, 0].mean() == pytest.approx(6, abs=0.1)
    assert (
        resample_totals(table, resamples=5, seed=0) == resample_totals(table, resamples=5)
    ).all()
    for odd in ([1, 2], [], [[[1]]]):
        with pytest.raises(DataError, match="give counts as a table of one or more units"):
            resample_totals(odd)


def test_nothing_to_draw() -> None:
    assert bootstrap(evaluate_spans([], [])) == (0, 0, 0, 0.95)
    assert bootstrap(evaluate_spans([["O"]], [["O"]])) == (0, 0, 0, 0.95)


def test_bad_settings_are_refused() -> None:
    report = _report(5)
    for options in ({"metric": "kappa"}, {"level": 1}, {"resamples": 0}):
        with pytest.raises(DataError):
            bootstrap(report, **options)


def test_a_thousand_resamples_are_quick() -> None:
    report = _report(3000)
    assert min(timeit.repeat(lambda: bootstrap(report), number=1)) < 0.1
