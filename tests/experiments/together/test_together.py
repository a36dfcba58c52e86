"""States, shared structure and transfer together, each left out in turn, on made-up text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dovetail import LayeredHMM
from dovetail.compare import Cell
from dovetail.multitask import labelled
from experiments.together import experiment as together
from experiments.together.experiment import ALL, PARTS, SYSTEMS, WITHOUT, TogetherStudy
from experiments.together.report import TogetherReport
from tests.experiments.made_up import make_case, sentences

NEWS = sentences(50, 3, "ner")


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TogetherStudy:
    monkeypatch.setattr(together, "LAYERS", 2)
    monkeypatch.setattr(together, "N_STATES", 4)

    @cache
    def states() -> LayeredHMM:
        texts = [NEWS.without_column("ner"), make_case().corpus.without_column("label")]
        return together.learn_states(texts, tmp_path)

    return TogetherStudy("made up", make_case, states, labelled(NEWS, "ner"), [12])


def test_each_system_is_made_of_its_parts(study: TogetherStudy) -> None:
    assert study.plan.sizes == [12]
    for system in SYSTEMS:
        pipeline = study.pipeline(system)
        used = {
            "ASO": "aso" in pipeline.names,
            "NER": "ner" in pipeline.names,
            "states": "state1" in pipeline["task"].features.columns,
        }
        alone = system in ("none", "recalibrated")
        expected = {part: not alone and system != WITHOUT + part for part in PARTS}
        assert used == expected
        assert pipeline.decode == ("cascade" if system == "none" else "auto")


def test_all_systems_are_measured_and_told(study: TogetherStudy, tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {**study.work(Cell(s, 0, 12)), "system": s, "split": 0, "size": 12, "seconds": 0.0}
        for s in SYSTEMS
    ]
    f1 = {result["system"]: result["overall"]["f1"] for result in results}
    assert f1[ALL] > f1["none"]
    report = TogetherReport({"made up": results}, tmp_path)
    best = max(f1[WITHOUT + part] for part in PARTS)
    assert report.over_best_two(report.lines[0]) == pytest.approx(f1[ALL] - best)
    assert report.worth("NER") == pytest.approx(f1[ALL] - f1["without NER"])
    assert report.sentences()[-1].startswith("all three over the best two in the mean")
    page, _ = report.write()
    assert set(json.loads(page.read_text())["worth"]) == set(PARTS)


def test_states_are_kept(study: TogetherStudy, tmp_path: Path) -> None:
    first = study.states()
    assert study.fingerprint == study.fingerprint
    (kept,) = tmp_path.glob("states-*.dovetail")
    texts = [NEWS.without_column("ner"), make_case().corpus.without_column("label")]
    assert together.learn_states(texts, tmp_path).to_bytes() == first.to_bytes()
    together.learn_states(texts[:1], tmp_path)
    assert len([*tmp_path.glob("states-*.dovetail")]) == 2
    assert kept.exists()
