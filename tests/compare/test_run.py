from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dovetail.compare import Cell, Plan, Progress, Store, run
from dovetail.errors import DataError

PLAN = Plan(["none", "joint"], n_splits=2, sizes=[5, 10])


class Work:
    """Counts the cells it is given; fails at the one with this number."""

    def __init__(self, fails_at: int | None = None, error: type[BaseException] = DataError) -> None:
        self.cells: list[Cell] = []
        self._fails_at, self._error = fails_at, error

    def __call__(self, cell: Cell) -> dict[str, Any]:
        if len(self.cells) == self._fails_at:
            raise self._error("no such column")
        self.cells.append(cell)
        scores = {"precision": 0.5, "recall": 0.5, "f1": 0.5}
        return {"overall": scores, "types": {}, "n_train": cell.size, "n_test": 4}


def test_every_cell_is_worked_on_once(tmp_path: Path) -> None:
    work = Work()
    results = run(PLAN, work, Store(tmp_path / "r", "v1"))
    assert work.cells == PLAN.cells
    assert len({cell.id for cell in work.cells}) == 8
    for cell, result in zip(PLAN.cells, results, strict=True):
        place = (result["system"], result["split"], result["size"], result["n_train"])
        assert place == (cell.system, cell.split, cell.size, cell.size)
        assert result["seconds"] >= 0


@pytest.mark.parametrize("error", [DataError, KeyboardInterrupt, RuntimeError])
def test_finished_cells_survive_and_are_reused(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error):
        run(PLAN, Work(3, error), Store(tmp_path / "r", "v1"))
    work = Work()
    results = run(PLAN, work, Store(tmp_path / "r", "v1"))
    assert work.cells == PLAN.cells[3:]
    assert results == run(PLAN, Work(0), Store(tmp_path / "r", "v1"))


def test_another_fingerprint_and_a_larger_plan(tmp_path: Path) -> None:
    run(PLAN, Work(), Store(tmp_path / "r", "v1"))
    changed, larger = Work(), Work()
    run(PLAN, changed, Store(tmp_path / "r", "v2"))
    assert changed.cells == PLAN.cells
    run(Plan(PLAN.systems, 3, PLAN.sizes), larger, Store(tmp_path / "r", "v1"))
    assert {cell.split for cell in larger.cells} == {2}


def test_an_error_names_its_cell(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="joint, split 0, size 10: no such column"):
        run(PLAN, Work(1), Store(tmp_path / "r", "v1"))


def test_an_incomplete_result_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none, split 0, size 10: its result lacks n_test, n_train"):
        run(PLAN, lambda _: {"overall": {}, "types": {}}, Store(tmp_path / "r", "v1"))
    assert not (tmp_path / "r").exists()


def test_progress(tmp_path: Path) -> None:
    steps: list[Progress] = []
    with pytest.raises(DataError):
        run(PLAN, Work(3), Store(tmp_path / "r", "v1"))
    run(PLAN, Work(), Store(tmp_path / "r", "v1"), steps.append)
    assert [step.cell for step in steps] == [*PLAN.cells[3:], None]
    assert [step.done for step in steps] == [3, 4, 5, 6, 7, 8]
    assert {(step.total, step.reused) for step in steps} == {(8, 3)}
    assert all(step.seconds_left is not None for step in steps)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (([], 1, [1]), "at least one system"),
        ((["a", "a"], 1, [1]), "the system a is there twice"),
        ((["a"], 1, [0]), "at least 1, not 0"),
    ],
)
def test_plans_that_make_no_sense(plan, message) -> None:
    with pytest.raises(DataError, match=message):
        Plan(*plan)
