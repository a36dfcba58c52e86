"""Correlations, and tests between systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.domains.findings import correlate, judge_distances, lines, sentences
from experiments.domains.pairs import compared, correct_for_number


def result(system: str, score: float, distance: float = 0.1, right: int = 80) -> dict[str, Any]:
    return {
        "system": system,
        "split": 0,
        "overall": {"f1": score, "unseen": 0.5},
        "types": {"novel": {"f1": score, "right": right, "tokens": 100}},
        "properties": {"entropy": 1.0, "distance": distance, "predict": None},
        "development": score,
        "value": 1.0,
        "seconds": 1.0,
    }


def test_the_interval_of_a_correlation_covers_the_truth() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        x, noise = rng.normal(size=(2, 25))
        found = correlate(x.tolist(), (0.6 * x + 0.8 * noise).tolist())
        assert found is not None
        covered += found.low < 0.6 < found.high
    assert 0.9 < covered / 300 < 0.99


def test_too_few_or_equal_points_have_no_correlation() -> None:
    assert correlate([1, 2, 3], [1, 2, 3]) is None
    assert correlate([1, 1, 1, 1], [1, 2, 3, 4]) is None


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ([0.9, 0.88, 0.86, 0.84, 0.82, 0.8], "accuracy falls with the distance"),
        ([0.8, 0.82, 0.84, 0.86, 0.88, 0.9], "accuracy rises with the distance"),
        ([0.8, 0.9, 0.8, 0.9, 0.8, 0.9], "no relation is shown"),
    ],
)
def test_figure_four_has_a_verdict(scores: list[float], verdict: str) -> None:
    names = ["HMM", *(f"D, sigma {k}" for k in range(1, 6))]
    own = [result(n, s, 0.1 + 0.01 * k) for k, (n, s) in enumerate(zip(names, scores, strict=True))]
    own.append(result("D+E, sigma 1, alpha 1", 0.1, 9.0))  # has another bias
    own.append(result("HMM, ours", 0.1, 9.0))
    sentence = judge_distances(lines(own))
    assert sentence is not None
    assert verdict in sentence
    assert "over 6 strengths" in sentence


def test_systems_are_tested_against_one_another() -> None:
    own = [result("CRF", 0.8), result("HMM", 0.8), result("HMM+E", 0.95, right=98)]
    found = next(s for s in sentences("tiny", own) if ": E " in s)
    assert found.endswith("(up in 1 of 1 samples, 1 of 1 domains; tokens p < 0.001)")


def in_domains(system: str, scores: list[float]) -> dict[str, Any]:
    types = {f"genre {k}": {"f1": score} for k, score in enumerate(scores)}
    return {**result(system, float(np.mean(scores))), "types": types}


def test_domains_are_paired() -> None:
    """A gain that is the same in every domain is sure, however far apart these are."""
    apart = [0.2, 0.4, 0.6, 0.8, 0.9]
    steady = in_domains("HMM+E", [0.21, 0.412, 0.611, 0.813, 0.909])
    shaky = in_domains("HMM+D", [0.3, 0.35, 0.65, 0.75, 0.95])
    e, d = compared([in_domains("HMM", apart), steady, shaky])
    assert (e.what, e.domains_up, e.n_domains) == ("E", 5, 5)
    assert (d.what, d.domains_up) == ("D", 3)
    assert e.domains is not None
    assert d.domains is not None
    assert e.domains < 0.001 < 0.3 < d.domains
    assert e.corrected == pytest.approx(2 * e.domains)
    assert d.corrected == d.domains


def test_few_domains_have_no_test() -> None:
    (pair,) = compared([in_domains("HMM", [0.5, 0.6]), in_domains("HMM+E", [0.6, 0.7])])
    assert pair.domains is pair.corrected is None


def test_p_values_are_corrected_for_their_number() -> None:
    assert correct_for_number([0.3]) == [0.3]
    assert correct_for_number([0.04, 0.01, 0.9]) == pytest.approx([0.08, 0.03, 0.9])
    assert correct_for_number([]) == []


def test_distances_in_context_are_tested_without_the_tagger_alone() -> None:
    own = [result("HMM, trained as long", 0.8), result("D per class, weight 1", 0.9)]
    (found,) = sentences("Contexts", own)
    assert "D per class, weight 1, +10.00" in found
