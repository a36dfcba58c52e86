"""Transfer to tasks with little text: what is told of it; some real data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import DataError
from dovetail.compare import Cell
from experiments.common.data_sets import find_data_folder
from experiments.transfer.__main__ import main
from experiments.transfer.experiment import DATA, QUICK, TransferExperiment
from experiments.transfer.report import TransferReport


def result(system: str, split: int, f1: float, size: int = 10, **types: float) -> dict[str, Any]:
    scores = {"precision": f1, "recall": f1, "f1": f1}
    found = {name.replace("_", " "): {"f1": value} for name, value in types.items()}
    sizes = {"n_train": size, "n_test": 90, "size": size, "seconds": 1.0}
    return {"system": system, "split": split, "overall": scores, "types": found, **sizes}


def text(found: Any) -> str:
    console = Console(width=200, highlight=False)
    with console.capture() as captured:
        console.print(found.for_terminal())
    return captured.get()


def test_the_worst_cell_and_the_means_of_data_sets_are_told(tmp_path: Path) -> None:
    own = [result(s, k, f1) for k in (0, 1) for s, f1 in (("none", 0.5), ("auto", 0.6))]
    other = [result(s, 0, f1, size=50) for s, f1 in (("none", 0.5), ("auto", 0.49))]
    found = TransferReport({"CrossNER ai": own, "CrossNER ai, official": other}, tmp_path)
    assert found.means == {"CrossNER": {"auto": pytest.approx(0.045)}}
    assert (found.worst["auto"].case, found.worst["auto"].size) == ("CrossNER ai, official", 50)
    shown = text(found)
    assert "auto: worst −1.0 (CrossNER ai, official, 50); below none in 1 of 2 cells" in shown
    assert [path.name for path in found.write()] == ["transfer.json", "transfer.html"]


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: there is no data set ")


def test_a_few_addresses_and_some_sizes(shared_data: Path, tmp_path: Path) -> None:
    folder = _folder(shared_data, *DATA)
    experiment = TransferExperiment(folder, tmp_path, 1, quick=True, n_sentences=40)
    studies = experiment.studies(1)
    sizes = {name: list(studies[name].case.sizes) for name in QUICK[2:]}
    assert sizes == {"usaddress streets": [10, 25, 50], "GROBID affiliations": [10, 30]}
    found = studies["usaddress streets"].work(Cell("auto", 0, 10))
    assert found["overall"]["f1"] > 0.8
    assert len(replace(experiment, quick=False).studies(1)) == 14


def _folder(data: Path, *names: str) -> Path:
    try:
        return find_data_folder(data, *names)
    except DataError as error:
        pytest.skip(str(error))
