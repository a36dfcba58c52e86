"""The cases with little text: what is told of them, the command, and some real data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import DataError
from dovetail.corpus import spans
from experiments.common.data_sets import find_data_folder
from experiments.little.__main__ import main
from experiments.little.case import LittleCase
from experiments.little.experiment import (
    DATA,
    MAKERS,
    QUICK,
    QUICK_SYSTEMS,
    LittleExperiment,
    chosen,
)
from experiments.little.findings import rows_of, sentences, verdicts
from experiments.little.old_taggers import OldTaggers
from experiments.little.report import LittleReport


def results(case: str, system: str, size: int, *scores: float, **more: float) -> dict[str, Any]:
    own = [
        {
            "system": system,
            "split": draw,
            "size": size,
            "overall": {"precision": f1, "recall": f1, "f1": f1},
            "training_seconds": 2.0,
            **more,
        }
        for draw, f1 in enumerate(scores)
    ]
    return {f"{case}: {system}": own}


def joined(*parts: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for part in parts:
        for name, own in part.items():
            out.setdefault(name, []).extend(own)
    return out


FOUND = joined(
    results("A", "none", 10, 0.2, 0.4, calibration_error=0.1),
    results("A", "none", 50, 0.5, 0.5, calibration_error=0.1),
    results("A", "auto", 10, 0.3, 0.3, calibration_error=0.02),
    results("A", "auto", 50, 0.6, 0.6, calibration_error=0.04),
    results("A", "tutorial", 10, 0.4, 0.4),
    results("A", "tutorial", 50, 0.3, 0.3),
    results("A", "old", 10, 0.35),
    results("A", "pooled", 10, 0.1),
    results("B", "none", 10, 0.5, 0.5),
    results("B", "auto", 10, 0.5, 0.5),
)


def test_rows_have_the_old_tagger_at_every_size() -> None:
    rows = rows_of(FOUND)
    assert [(row.case, row.size) for row in rows] == [("A", 10), ("A", 50), ("B", 10)]
    assert [row.f1("old") for row in rows] == [0.35, 0.35, None]
    assert rows[0].difference("auto", "pooled") == pytest.approx(0.2)
    assert rows[0].difference("auto", "old") == pytest.approx(-0.05)
    assert rows[2].difference("auto", "tutorial") is None


def test_losses_are_against_the_best_of_others() -> None:
    worst, *others = verdicts(rows_of(FOUND), "auto", ["none", "old", "pooled"])
    assert (worst.case, worst.size, worst.against) == ("A", 10, "old")
    assert worst.difference == pytest.approx(-0.05)
    assert [v.difference for v in others] == [pytest.approx(0), pytest.approx(0.1)]


def test_sentences() -> None:
    told = sentences(rows_of(FOUND))
    assert told[0] == (
        "none is below tutorial in 1 of 2 cells, there by 10.0 in the mean; "
        "in the mean of all it differs by +5.0"
    )
    assert any(
        line.startswith(
            "auto is more than 0.3 below the best of none, old in 1 of 3 cells; "
            "worst −5.0 (A, 10, against old)"
        )
        for line in told
    )
    assert not any("auto+text" in line for line in told)
    more = "auto+text is more than 0.3 below {} in 1 of 1 cells; worst {} (A, 10, against {})"
    told = sentences(rows_of(joined(FOUND, results("A", "auto+text", 10, 0.05))))
    assert more.format("the best of none, old, pooled", "−30.0", "old") in told
    assert more.format("auto", "−25.0", "auto") in told
    assert "expected calibration error of auto's spans: 3.0" in told
    assert told[-1].startswith("auto trains on one thread in 2.0 s from 50 sequences")


def test_the_table_marks_the_best_and_the_picture_is_drawn(tmp_path: Path) -> None:
    found = LittleReport(FOUND, tmp_path)
    assert found.systems == ["none", "auto", "tutorial", "old", "pooled"]
    console = Console(width=160, highlight=False)
    with console.capture() as captured:
        console.print(found.for_terminal())
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["A", "10", "2", "30.0", "30.0", "40.0*", "35.0", "10.0"] in lines
    assert ["50", "2", "50.0", "60.0*", "30.0", "35.0"] in lines
    others = ["(1)", "40.0", "(1)", "35.0", "(1)", "10.0"]
    assert ["mean", "of", "10", "40.0", "40.0", *others] in lines
    paths = found.write()
    assert [path.name for path in paths] == ["little.json", "little.svg"]
    kept = json.loads(paths[0].read_text())
    assert kept["cells"][0]["f1"]["old"] == 0.35
    assert kept["cells"][0]["draws"]["none"] == [0.2, 0.4]
    assert "tutorial" in paths[1].read_text()


def test_names_are_chosen_in_their_order() -> None:
    assert chosen("case", ["b", "a"], ["a", "b", "c"], ["c"]) == ["a", "b"]
    assert chosen("case", (), ["a", "b", "c"], ["c"]) == ["c"]
    with pytest.raises(DataError, match="there is no case 'x'; choose from a, b, c"):
        chosen("case", ["x"], ["a", "b", "c"], ["c"])


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: there is no data set ")


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    try:
        return find_data_folder(shared_data, *DATA)
    except DataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def old(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> OldTaggers:
    return OldTaggers(folder, tmp_path_factory.mktemp("old"), n_sentences=40, threads=1)


# By case: sequences to draw from, sequences to test on, types of spans.
EXPECTED = {
    "WNUT-17": (3394, 600, 6),
    "Wikigold": (848, 600, 4),
    "CrossNER politics": (741, 600, 9),
    "CrossNER ai": (450, 431, 14),
    "Wikigold permuted": (848, 600, 4),
    "CrossNER politics merged": (741, 600, 9),
    "CoNLL-2003": (14041, 600, 4),
    "seminars": (242, 242, 4),
    "usaddress streets": (344, 343, 15),
    "GROBID affiliations": (2249, 208, 12),
    "probablepeople": (1449, 600, 12),
    "ingredients": (1500, 600, 7),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_real_data(name: str, old: OldTaggers) -> None:
    case: LittleCase = MAKERS[name](name, old)
    labels = [own for part in (case.pool, case.test) for own in part.lists("label")]
    types = {span.label for own in labels for span in spans(own)}
    assert (len(case.pool), len(case.test), len(types)) == EXPECTED[name]
    assert {*case.same.values()} <= types
    assert case.pool.names == case.test.names == ("word", "label")
    if case.old is not None and case.old.text is not None:
        told = {span.label for own in case.old.text().lists("label") for span in spans(own)}
        assert {*case.same} <= told | {"PER", "LOC", "ORG", "MISC"}


def test_old_taggers_contradict(old: OldTaggers) -> None:
    texts = [tagger.text for tagger in (old.news, old.permuted, old.merged)]
    news, permuted, merged = (text().lists("label") for text in texts if text is not None)
    assert news[0][0] == "B-ORG"  # "EU"
    assert (permuted[0][0], merged[0][0]) == ("B-MISC", "B-NAME")
    assert old.news.fingerprint != old.permuted.fingerprint


def test_a_quick_experiment(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pycrfsuite")
    experiment = LittleExperiment(folder, tmp_path, 2, quick=True, n_sentences=40)
    studies = experiment.studies(1)
    assert {study.case.name for study in studies.values()} == {*QUICK}
    assert {study.system for study in studies.values()} == {*QUICK_SYSTEMS}
    assert "GROBID references: old" not in studies
    study = studies["CrossNER ai: none"]
    assert (study.case.n_tested, list(study.sizes)) == (200, [20, 100])
    few = LittleExperiment(
        folder, tmp_path, 1, cases=("CrossNER ai",), sizes=(20,), systems=("none",)
    )
    assert list(few.studies(1)) == ["CrossNER ai: none"]
