"""When joint decoding pays, on made-up text."""

from __future__ import annotations

import json
from pathlib import Path

from dovetail.compare import Cell
from experiments.common.transfer_study import TransferStudy
from experiments.joint.experiment import SYSTEMS, _reading
from experiments.joint.report import PAIRS, JointReport
from tests.experiments.made_up import make_case


def test_all_systems_are_measured_and_told(tmp_path: Path) -> None:
    study = TransferStudy("made up", make_case, SYSTEMS)
    results = [
        {
            **study.work(cell),
            "system": cell.system,
            "split": cell.split,
            "size": cell.size,
            "seconds": 0.0,
        }
        for cell in (Cell(system, split, 12) for split in (0, 1) for system in SYSTEMS)
    ]
    report = JointReport({"made up": results}, tmp_path)
    found = {(d["of"], d["over"]): d for d in report.differences()}
    assert set(found) == set(PAIRS)
    f1 = {(r["system"], r["split"]): r["overall"]["f1"] for r in results}
    gains = [f1["joint", k] - f1["cascade", k] for k in (0, 1)]
    assert found["joint", "cascade"]["difference"] == sum(gains) / 2
    assert found["joint", "cascade"]["better"] == sum(gain > 0 for gain in gains)
    assert "joint over cascade" in report.sentences()[-1]
    page, _ = report.write()
    assert len(json.loads(page.read_text())["differences"]) == len(PAIRS)


def test_what_is_read_of_the_label_below_is_equation_seven() -> None:
    rows = _reading(make_case().features, "ner").rows
    reading = [row for row in rows if any(p.attribute.column == "ner" for p in row.parts)]
    assert {part.offset for row in reading for part in row.parts} == {0}
    assert [row.on for row in reading].count("transitions") == 1
