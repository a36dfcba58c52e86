"""Names and nominals: what is told of them; some real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import DataError
from dovetail.compare import Cell
from experiments.common.data_sets import find_data_folder
from experiments.entities.__main__ import main
from experiments.entities.experiment import DATA, EntityExperiment
from experiments.entities.report import EntityReport, with_published_means


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


def test_means_are_of_the_three_types() -> None:
    assert with_published_means("joint")["mean of nominals"] == pytest.approx(47.5)
    assert with_published_means("none")["mean of names"] == pytest.approx(71.1)


def test_entities_are_told_beside_the_published_figures(tmp_path: Path) -> None:
    own = []
    for split in (0, 1):
        for number, system in enumerate(("none", "cascade", "joint", "auto")):
            f1 = 0.3 + 0.1 * number + 0.01 * split * number
            types = {"person_name": f1, "place_name": 0.6, "organisation_nominal": 0.3}
            own.append(result(system, split, f1, **types))
    found = EntityReport({"LitBank": own}, tmp_path)
    summary = found.summaries["LitBank"]
    spread = summary.f1("none", 10, "mean of names")
    assert spread is not None
    assert spread.mean == pytest.approx((0.3 + 0.6) / 3)
    shown = text(found)
    assert "LitBank, a public stand-in for ACE" in shown
    assert "published, on ACE" in shown
    assert "mean of names: cascade is better than none by 3.5" in shown
    assert "mean of nominals: joint scores the same as cascade in all 2 splits" in shown
    assert "auto is better than joint by" in shown
    paths = found.write()
    assert [path.name for path in paths] == ["entities.json", "litbank.html"]
    assert json.loads(paths[0].read_text())["published"]["joint"]["person nominal"] == 42.4


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: there is no data set ")


def test_a_few_books(shared_data: Path, tmp_path: Path) -> None:
    experiment = EntityExperiment(
        _folder(shared_data, *DATA), tmp_path, 1, n_sentences=40, n_documents=20
    )
    studies = experiment.studies(1)
    books = studies["LitBank"]
    assert (books.case.sizes, len(books.case.splits[0].test)) == ([2], 18)
    scores = books.work(Cell("none", 0, 2))["types"]
    assert scores["person nominal"]["f1"] > 0


def _folder(data: Path, *names: str) -> Path:
    try:
        return find_data_folder(data, *names)
    except DataError as error:
        pytest.skip(str(error))
