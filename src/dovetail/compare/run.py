"""Going through a plan: finished cells are reused, the others computed, each kept at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from threading import Lock
from typing import Any

from dovetail.base.at_once import run_at_once
from dovetail.base.executor import Executor, Shared
from dovetail.compare.plan import Cell, Plan, Result
from dovetail.compare.store import Store
from dovetail.errors import DataError, DovetailError

Work = Callable[[Cell], Mapping[str, Any]]


@dataclass(frozen=True)
class Progress:
    """Where a comparison is: the cell that is about to be computed, None when all are there.

    ``reused`` of the ``done`` cells were there before. ``seconds_left`` goes by the time that cells
    of the same system and size took, and is None as long as no cell is done.
    """

    cell: Cell | None
    done: int
    total: int
    reused: int
    seconds_left: float | None


def run(
    plan: Plan,
    work: Work,
    store: Store,
    progress: Callable[[Progress], None] | None = None,
    *,
    at_once: int = 1,
    cluster: Executor | None = None,
) -> list[Result]:
    """The results of all cells: those in the store, and ``work(cell)`` of the others, ``at_once``
    of them at a time, or as many as the workers of ``cluster`` can do.

    ``work`` returns ``overall``, ``types``, ``n_train`` and ``n_test`` (see `Result`); the cell and
    the seconds are added. An error or an interruption ends the run; all cells finished before it
    are in the store.
    """
    results = {cell: result for cell in plan.cells if (result := store.get(cell)) is not None}
    waiting = [cell for cell in plan.cells if cell not in results]
    reused = len(results)

    def report(number: int) -> None:
        if progress and number < len(waiting):
            left = _seconds_left(list(results.values()), waiting[number:])
            if left is not None:
                left /= at_once
            progress(Progress(waiting[number], len(results), len(plan.cells), reused, left))

    def take(number: int, result: Result) -> None:
        results[waiting[number]] = result
        report(number + 1)

    report(0)
    if cluster is not None:
        given = (Shared(work), tuple(waiting))
        found = cluster.each("cell", compute_cell, range(len(waiting)), *given, together=False)
        for number, one in enumerate(found):
            store.add(waiting[number], one)
            take(number, store.get(waiting[number]) or one)
    else:
        alone = Lock()
        tasks = [lambda cell=cell: _keep(cell, work, store, alone) for cell in waiting]
        run_at_once(tasks, at_once, take)
    if progress:
        progress(Progress(None, len(results), len(plan.cells), reused, 0.0))
    return [results[cell] for cell in plan.cells]


def compute_cell(number: int, work: Shared[Work], cells: Sequence[Cell]) -> Result:
    """The result of one of these cells."""
    return _compute(cells[number], work.value)


def _keep(cell: Cell, work: Work, store: Store, alone: Lock) -> Result:
    result = _compute(cell, work)
    with alone:
        store.add(cell, result)
        return store.get(cell) or result


def _compute(cell: Cell, work: Work) -> Result:
    start = time.monotonic()
    try:
        found = work(cell)
    except DovetailError as error:
        raise type(error)(f"{cell.id}: {error}") from error
    place = {"system": cell.system, "split": cell.split, "size": cell.size}
    result = {**place, "seconds": round(time.monotonic() - start, 3), **found, **place}
    missing = {"overall", "types", "n_train", "n_test"} - {*result}
    if missing:
        raise DataError(f"{cell.id}: its result lacks {', '.join(sorted(missing))}")
    return result


def _seconds_left(finished: Sequence[Result], waiting: Sequence[Cell]) -> float | None:
    if not finished:
        return None
    times: dict[tuple[str, int], list[float]] = {}
    for result in finished:
        times.setdefault((result["system"], result["size"]), []).append(result["seconds"])
    usual: float = mean(result["seconds"] for result in finished)
    return sum(float(mean(times.get((cell.system, cell.size), [usual]))) for cell in waiting)
