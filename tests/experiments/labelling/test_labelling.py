"""What labelling costs: what is told of results, the command, and a little real data."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import DataError
from experiments.common.data_sets import find_data_folder
from experiments.labelling.__main__ import main
from experiments.labelling.cases import DATA
from experiments.labelling.report import SHOWN, LabellingReport


def result(system: str, cost: float | None, split: int = 0) -> dict[str, Any]:
    reached = None if cost is None else dict.fromkeys(SHOWN, cost)
    return {"system": system, "split": split, "full": 0.8, "target": 0.72, "reached": reached}


def test_costs_are_means_of_orders_and_relative_to_work_by_hand(tmp_path: Path) -> None:
    results = {
        "one": [result("by hand", 100), result("by hand", 300, 1), result("choice", 50)],
        "two": [result("by hand", 100), result("choice", 75), result("questions", None), {}],
    }
    report = LabellingReport(results, tmp_path)
    assert report.costs["one"]["by hand"]["actions"] == 200
    assert report.relative()["choice"]["actions"] == pytest.approx((0.25 + 0.75) / 2)
    assert report.unreached == ["two, questions, order 0"]
    console = Console(width=200, record=True, file=StringIO())
    console.print(report.for_terminal())
    assert "actions with choice: 50% of by hand (target 50%)" in console.export_text()
    [path] = report.write()
    assert json.loads(path.read_text("utf-8"))["scores"]["one"]["target"] == 0.72


def test_a_quick_run_on_real_data_is_taken_up_again(tmp_path: Path) -> None:
    try:
        folder = find_data_folder(None, *DATA)
    except DataError as error:
        pytest.skip(str(error))
    arguments = ["--data", str(folder), "--out", str(tmp_path), "--quick", "--threads", "1"]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0, first.output
    assert "CrossNER politics" in first.stdout
    kept = (tmp_path / "results.jsonl").read_bytes()
    again = CliRunner().invoke(main, arguments)
    assert again.stdout == first.stdout
    assert (tmp_path / "results.jsonl").read_bytes() == kept
