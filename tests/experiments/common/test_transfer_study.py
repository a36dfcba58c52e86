"""Cases of transfer, on made-up text."""

from __future__ import annotations

from dovetail.compare import Cell
from experiments.common.transfer_study import SYSTEMS, TransferStudy, draws
from tests.experiments.made_up import make_case


def test_all_systems_are_measured_and_transfer_helps() -> None:
    study = TransferStudy("made up", make_case)
    found = {system: study.work(Cell(system, 0, 12)) for system in SYSTEMS}
    assert {result["c2"] for result in found.values()} == {found["none"]["c2"]}
    assert [result["n_test"] for result in found.values()] == [30] * len(SYSTEMS)
    scores = {system: result["overall"]["f1"] for system, result in found.items()}
    assert scores["cascade"] > scores["none"]
    assert scores["auto"] > scores["none"]


def test_units_are_documents_where_there_are_any() -> None:
    case = make_case(documents=True)
    assert len(case.part([0, 3])) == 4
    assert case.part([3, 0]).lists("word")[2:] == case.corpus[6:8].lists("word")


def test_draws_share_their_test_part_and_differ() -> None:
    first, second = draws(range(10), range(10, 12), 2)
    assert first.test == second.test == (10, 11)
    assert sorted(first.train) == sorted(second.train) == list(range(10))
    assert first.train != second.train
