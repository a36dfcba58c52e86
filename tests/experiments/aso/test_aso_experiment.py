"""ASO with little labelled text: what is told of it; some real data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from dovetail import Corpus
from dovetail.compare import Cell
from experiments.aso import study
from experiments.aso.experiment import LittleTextExperiment
from experiments.aso.report import LittleTextReport


def result(system: str, split: int, f1: float, cpu: float, size: int = 50) -> dict[str, Any]:
    scores = {"precision": f1, "recall": f1, "f1": f1}
    place = {"system": system, "split": split, "size": size, "seconds": 1.0}
    return {**place, "overall": scores, "types": {}, "n_train": size, "n_test": 90, "cpu": cpu}


def test_means_worst_cases_and_times_are_told(tmp_path: Path) -> None:
    ai = [result(s, k, f1, cpu) for k in (0, 1)
          for s, f1, cpu in (("linear", 0.3, 1.0), ("ASO", 0.3 + k / 50, 2.0))]  # fmt: skip
    music = [result("linear", 0, 0.4, 1.0), result("ASO", 0, 0.39, 4.0)]
    found = LittleTextReport({"CrossNER ai": ai, "CrossNER music": music}, tmp_path)
    assert found.mean_difference("ASO") == pytest.approx(0.0)
    assert [line.wins["ASO"] for line in found.lines] == [1, 0]
    console = Console(width=200, record=True)
    console.print(found.for_terminal())
    assert "worst −1.0 (CrossNER music, 50); 3.0 times the CPU time" in console.export_text()
    assert [path.name for path in found.write()] == ["aso.json", "ai.html", "music.html"]


def test_some_sentences_of_a_domain(shared_data: Path, tmp_path: Path) -> None:
    experiment = LittleTextExperiment(
        shared_data, tmp_path, 1, quick=True, n_sentences=100, development=True, unlabelled=True
    )
    [domain] = experiment.studies(1).values()
    domain.sizes = (20,)
    assert [cell.system for cell in domain.plan.cells] == [
        "linear", "ASO", "ASO, printed", "ASO, news", "ASO, unlabelled"
    ]  # fmt: skip
    tried = ("linear", "ASO", "ASO, printed", "ASO, news")
    found = {s: domain.work(Cell(s, 0, 20)) for s in tried}
    assert found["linear"]["sharing"] is None
    assert found["ASO"]["sharing"] in (0.0, 0.3)
    assert found["ASO, news"]["overall"]["f1"] > 0.05
    assert found["linear"]["n_test"] > 400


def test_words_with_like_neighbours_are_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "H", 2)
    path = tmp_path / "text.txt"
    pairs = [("a", "cat"), ("a", "dog"), ("to", "run"), ("to", "sit")]
    path.write_text("\n".join(f"{first} {second} ." for first, second in pairs * 20))
    found = study.learn_structure([], [path])
    words = Corpus.from_lists({"word": [["cat", "dog", "run", "sit"]]})
    cat, dog, run, sit = found.annotate(words).column(found.name).weights
    assert np.abs(cat - dog).sum() < 0.5 * np.abs(cat - run).sum()
    assert np.abs(run - sit).sum() < 0.5 * np.abs(dog - sit).sum()
