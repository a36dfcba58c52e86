"""The reproduction, on a few mails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dovetail import Corpus, DataError
from dovetail.compare import Cell, Split
from experiments.common.data_sets import DataSets, find_data_folder
from experiments.common.runner import run_experiment
from experiments.seminars.__main__ import main
from experiments.seminars.announcements import mail_body
from experiments.seminars.comparisons import comparisons, host_counts
from experiments.seminars.experiment import SeminarExperiment
from experiments.seminars.paper_systems import count_hosts
from experiments.seminars.report import SeminarReport


@pytest.fixture(scope="module")
def seminars(shared_data: Path) -> Path:
    try:
        return find_data_folder(shared_data, "seminars")
    except DataError as error:
        pytest.skip(str(error))


def test_true_values_are_those_of_the_marks(seminars: Path) -> None:
    data_sets = DataSets(seminars)
    truth, mails = data_sets.truth(), data_sets.mails()
    assert len(truth) == len(mails) == 484
    having = {f: sum(f in document for document in truth) for f in ("stime", "etime", "speaker")}
    assert having == {"stime": 484, "etime": 227, "speaker": 408}


def test_a_few_mails_from_end_to_end(seminars: Path, tmp_path: Path) -> None:
    experiment = SeminarExperiment(seminars, tmp_path, 1, quick=True, n_mails=12, n_sentences=40)
    shown: list[str] = []
    results, _ = run_experiment(experiment, progress=lambda name, _: shown.append(name))
    assert shown == ["paper"]
    assert [r["system"] for r in results["paper"]] == ["none", "cascade", "joint", "pool"]
    assert all(r["types"]["stime"]["f1"] > 0 for r in results["paper"])
    report = SeminarReport(experiment, results)
    paths = report.write()
    assert [path.name for path in paths] == ["seminars.json", "seminars.html"]
    assert json.loads(paths[0].read_text())["studies"]["paper"]["summary"]["n_splits"] == 1
    before = (tmp_path / "results.jsonl").read_bytes()
    again, _ = run_experiment(experiment)
    assert again == results
    assert (tmp_path / "results.jsonl").read_bytes() == before


def test_our_systems_share_their_models(seminars: Path, tmp_path: Path) -> None:
    experiment = SeminarExperiment(seminars, tmp_path, 1, n_mails=12, n_sentences=40)
    studies = experiment.studies(1)
    assert len({study.fingerprint for study in studies.values()}) == 5  # some go on with others
    study = studies["best"]
    [size] = study.plan.sizes
    found = [study.work(Cell(system, 0, size)) for system in study.plan.systems]
    assert all(result["types"]["stime"]["f1"] > 0 for result in found)
    assert found[0]["eagerness"] == dict.fromkeys(found[0]["types"], 0.0)


def test_the_header_of_a_mail_is_left_out() -> None:
    assert mail_body("<id>\nTime: 3 pm\nPlace: hall\n\nAll are welcome.\n\nTea.") == (
        "All are welcome.\n\nTea."
    )


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: there is no data set seminars in ")


def test_hosts_are_counted() -> None:
    corpus = Corpus.from_lists({"word": [["Host", ":", "Ada", "Host"], ["Host", ":"]]})
    labels = [["B-LOC", "O", "B-PER", "B-PER"], ["O", "O"]]
    assert count_hosts(corpus, labels) == {"tokens": 2, "entities": 1}
    result = {"system": "joint", "hosts": {"tokens": 2, "entities": 1}}
    assert host_counts([result, result]) == {"joint": {"tokens": 4, "entities": 2}}


def result(system: str, split: int, letters: str, f1: float) -> dict[str, Any]:
    types = {field: {"f1": f1} for field in ("stime", "etime", "location", "speaker")}
    return {
        "system": system,
        "split": split,
        "n_train": 4,
        "n_test": len(letters),
        "overall": {"f1": f1},
        "types": types,
        "outcomes": dict.fromkeys(types, letters),
    }


def test_a_clear_difference_is_seen_by_all_tests() -> None:
    splits = [Split((0, 1, 2, 3), (4, 5, 6, 7)), Split((4, 5, 6, 7), (0, 1, 2, 3))]
    given = [result("none", 0, "mmmr", 0.4), result("none", 1, "mmrm", 0.41)]
    given += [result("cascade", 0, "rrrr", 1.0), result("cascade", 1, "rrrr", 1.0)]
    found = {one.field: one for one in comparisons(given, splits)}
    assert found["speaker"].difference == pytest.approx(0.595)
    assert (found["overall"].wins, found["overall"].losses) == (2, 0)
    assert found["overall"].bootstrap_p < 0.05
    assert found["overall"].low > 0


def test_systems_that_are_alike_do_not_differ() -> None:
    splits = [Split((0, 1), (2, 3)), Split((2, 3), (0, 1))]
    given = [result(s, k, "rm", 0.67) for s in ("none", "cascade") for k in (0, 1)]
    [first, *_] = comparisons(given, splits)
    assert (first.difference, first.p, first.bootstrap_p) == (0.0, 1.0, 1.0)
