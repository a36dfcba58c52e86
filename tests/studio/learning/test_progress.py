"""How far one is."""

from __future__ import annotations

import random

import pytest

from dovetail.studio.annotation import Suggestion
from dovetail.studio.learning.progress import (
    Trial,
    by_label,
    curve,
    report,
    score,
)


def trial(number: int, labelled: int, right: int, wrong: int, missed: int) -> Trial:
    """A document with so many right and wrong suggestions, and so many spans missed."""
    shown = [Suggestion(2 * k, 2 * k + 1, "A", 0.8) for k in range(right + wrong)]
    there = [(2 * k, 2 * k + 1, "A") for k in range(right)]
    there += [(100 + 2 * k, 101 + 2 * k, "B") for k in range(missed)]
    return Trial(number, labelled, tuple(shown), frozenset(there), 200)


def test_the_score_is_f1_over_all_documents_with_an_interval_around() -> None:
    trials = [trial(k, k, 3, k % 2, 1) for k in range(20)]
    found = score(trials)
    assert found is not None
    assert found.f1 == pytest.approx(2 * 60 / (70 + 80))
    assert found.low < found.f1 < found.high
    assert found.documents == 20
    assert score(trials[:2]) is None


def test_labels_are_told_apart() -> None:
    found = by_label([trial(1, 0, 2, 1, 3)])
    assert found["A"] == {
        "precision": pytest.approx(2 / 3),
        "recall": 1.0,
        "f1": pytest.approx(0.8),
        "spans": 2,
    }
    assert found["B"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "spans": 3}


def test_a_report_has_a_curve_a_forecast_and_how_true_probabilities_are() -> None:
    draw = random.Random(0)
    trials = []
    for k in range(60):
        labelled = 2 + 4 * k
        wrong = sum(draw.random() < 1.2 * labelled**-0.4 for _ in range(20))
        trials.append(trial(k, labelled, 20 - wrong, wrong, wrong))
    told = report(trials, 240, {1: 10.0, 2: 30.0, 3: 20.0})
    heights = [one["f1"] for one in told["curve"]]
    assert heights[-1] > heights[0]
    assert curve(trials)[0][0] < curve(trials)[-1][0]
    assert told["score"]["documents"] == 30
    assert told["forecast"]["sentence"].startswith("About ")
    assert told["forecast"]["points"][0]["documents"] == 240
    assert told["calibration"]["bins"][0]["predicted"] == pytest.approx(0.8)
    assert told["time"] == {"median_seconds": 20.0}


def test_too_few_documents_give_a_sentence() -> None:
    told = report([trial(1, 3, 1, 0, 0)], 4, {})
    assert told["score"] is None
    assert told["message"].startswith("A score needs 5 finished documents")
    assert told["forecast"]["sentence"].startswith("No forecast: ")
    assert "time" not in told
