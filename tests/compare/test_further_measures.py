"""Measures beside F1."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.test_experiment import write
from dovetail import DataError
from dovetail.compare import Store, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.compare.table import as_text
from dovetail.evaluate import chi_square_test, coverage
from pipeline.conftest import random_corpus

LOWER, UPPER = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)


def test_answers_are_counted_once_for_all_measures(tmp_path: Path) -> None:
    wishes = 'folds = 2\nsystems = ["none", "cascade"]\nmeasures = ["chi-square"]'
    found = Experiment(write(tmp_path, wishes, LOWER, UPPER), threads=1)
    results = run(found.plan, found.work, Store(tmp_path / "results.jsonl", found.fingerprint))
    sums = {s: [sum(r[n] for r in results if r["system"] == s) for n in ("right", "total")]
            for s in ("none", "cascade")}  # fmt: skip
    summary = summarize(results, measures=found.comparison.measures)
    expected = chi_square_test(*sums["cascade"], *sums["none"])
    assert summary.measures == {"chi-square": {"cascade": expected}}
    assert "chi-square test with Yates' correction against none" in as_text(summary)


def result(system: str, split: int, found: str, total: int, field_f1: float) -> dict:
    place = {"system": system, "split": split, "size": 5, "seconds": 1.0, "types": {}}
    scores = {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    counts = {"found": found, "right": 1, "total": total, "field_f1": field_f1}
    return {**place, "overall": scores, "n_train": 5, "n_test": 5, **counts}


def test_coverage_and_fields_of_all_splits() -> None:
    results = [
        result("none", 0, "80", 2, 0.2),  # 1 0
        result("joint", 0, "40", 2, 0.4),  # 0 1
        result("none", 1, "00", 2, 0.4),  # 0 0
        result("joint", 1, "40", 2, 0.8),  # 0 1
    ]
    summary = summarize(results, measures=["fields", "coverage"])
    assert summary.measures["coverage"] == {"none": 0.25, "joint": 0.75}
    assert summary.measures["fields"] == pytest.approx({"none": 0.3, "joint": 0.6})
    shown = as_text(summary)
    assert "one value of each field in a document, F1: none 30.0, joint 60.0" in shown
    assert "true spans that a system or none finds, in per cent: none 25.0, joint 75.0" in shown
    assert coverage([["B-X", "B-X"]], [["B-X", "O"]], [["O", "B-X"]]) == 1.0
    older = [{k: v for k, v in each.items() if k != "found"} for each in results]
    assert "coverage: no results to tell it from" in as_text(
        summarize(older, measures=["coverage"])
    )


def test_measures_that_there_are_not(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"measures is .*; give a list of some of fields, coverage"):
        write(tmp_path, 'measures = ["accuracy"]', LOWER, UPPER)
