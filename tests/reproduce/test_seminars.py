"""The reproduction, on a few mails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dovetail import Corpus, DataError
from dovetail.cli import main
from dovetail.compare import Split
from dovetail.reproduce.findings import comparisons, host_counts
from dovetail.reproduce.output import Findings
from dovetail.reproduce.sources import Sources, data_folder
from dovetail.reproduce.studies import Settings, run_studies
from dovetail.reproduce.transfer import hosts


@pytest.fixture(scope="module")
def seminars(shared_data: Path) -> Path:
    try:
        return data_folder(shared_data)
    except DataError as error:
        pytest.skip(str(error))


def test_true_values_are_those_of_the_marks(seminars: Path) -> None:
    sources = Sources(seminars)
    truth, mails = sources.truth(), sources.mails()
    assert len(truth) == len(mails) == 484
    having = {f: sum(f in document for document in truth) for f in ("stime", "etime", "speaker")}
    assert having == {"stime": 484, "etime": 227, "speaker": 408}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_few_mails_from_end_to_end(seminars: Path, tmp_path: Path) -> None:
    settings = Settings(seminars, tmp_path, n_splits=1, quick=True, n_mails=12, n_sentences=40)
    shown: list[str] = []
    results, material, _ = run_studies(settings, progress=lambda name, _: shown.append(name))
    assert [r["system"] for r in results["paper"]] == ["none", "cascade", "joint", "pool"]
    assert all(r["types"]["stime"]["f1"] > 0 for r in results["paper"])
    findings = Findings(settings, results, material)
    paths = findings.write()
    assert [path.name for path in paths] == ["seminars.json", "seminars.html"]
    assert json.loads(paths[0].read_text())["studies"]["paper"]["summary"]["n_splits"] == 1
    before = (tmp_path / "results.jsonl").read_bytes()
    again, _, _ = run_studies(settings)
    assert again == results
    assert (tmp_path / "results.jsonl").read_bytes() == before


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["reproduce", "seminars", "--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("dovetail: there are no seminar announcements in ")


def test_hosts_are_counted() -> None:
    corpus = Corpus.from_lists({"word": [["Host", ":", "Ada", "Host"], ["Host", ":"]]})
    labels = [["B-LOC", "O", "B-PER", "B-PER"], ["O", "O"]]
    assert hosts(corpus, labels) == {"tokens": 2, "entities": 1}
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
