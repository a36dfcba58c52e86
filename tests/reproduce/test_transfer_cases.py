"""The reproductions of entities and of small-data transfer: what they tell; some real data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import DataError
from dovetail.cli import main
from dovetail.compare import Cell
from dovetail.reproduce import entities, small_data
from dovetail.reproduce.entity_output import EntityFindings, with_published_means
from dovetail.reproduce.small_data_output import SmallDataFindings
from dovetail.reproduce.sources import folder_with


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
    found = EntityFindings({"LitBank": own}, tmp_path)
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


def test_the_worst_cell_and_the_means_of_data_sets_are_told(tmp_path: Path) -> None:
    own = [result(s, k, f1) for k in (0, 1) for s, f1 in (("none", 0.5), ("auto", 0.6))]
    other = [result(s, 0, f1, size=50) for s, f1 in (("none", 0.5), ("auto", 0.49))]
    found = SmallDataFindings({"CrossNER ai": own, "CrossNER ai, official": other}, tmp_path)
    assert found.means == {"CrossNER": {"auto": pytest.approx(0.045)}}
    assert (found.worst["auto"].case, found.worst["auto"].size) == ("CrossNER ai, official", 50)
    shown = text(found)
    assert "auto: worst −1.0 (CrossNER ai, official, 50); below none in 1 of 2 cells" in shown
    assert [path.name for path in found.write()] == ["transfer.json", "transfer.html"]


@pytest.mark.parametrize("name", ["entities", "transfer"])
def test_without_data_one_sentence(name: str, tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["reproduce", name, "--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("dovetail: there is no data set ")


def test_a_few_books(shared_data: Path, tmp_path: Path) -> None:
    trial = entities.EntityTrial(
        _folder(shared_data, *entities.DATA), tmp_path, 1, n_sentences=40, n_documents=20
    )
    studies = trial.studies(1)
    books = studies["LitBank"]
    assert (books.case.sizes, len(books.case.splits[0].test)) == ([2], 18)
    scores = books.work(Cell("none", 0, 2))["types"]
    assert scores["person nominal"]["f1"] > 0


def test_a_few_addresses_and_some_sizes(shared_data: Path, tmp_path: Path) -> None:
    folder = _folder(shared_data, *small_data.DATA)
    trial = small_data.SmallDataTrial(folder, tmp_path, 1, quick=True, n_sentences=40)
    studies = trial.studies(1)
    sizes = {name: list(studies[name].case.sizes) for name in small_data.QUICK[2:]}
    assert sizes == {"usaddress streets": [10, 25, 50], "GROBID affiliations": [10, 30]}
    found = studies["usaddress streets"].work(Cell("auto", 0, 10))
    assert found["overall"]["f1"] > 0.8
    assert len(replace(trial, quick=False).studies(1)) == 14


def _folder(data: Path, *names: str) -> Path:
    try:
        return folder_with(data, *names)
    except DataError as error:
        pytest.skip(str(error))
