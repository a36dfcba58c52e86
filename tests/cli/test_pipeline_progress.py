"""What is seen of the training of a pipeline."""

from __future__ import annotations

import io
import logging

import pytest
from rich.console import Console

from dovetail.chain.train.steps import Progress
from dovetail.cli.task_progress import TaskTable, show_tasks


def limits(_: str) -> tuple[float, int | None]:
    return 1e-3, None


def round_at(iteration: int) -> Progress:
    return Progress(iteration, "dual", 1234.5, 0.5, 0.1, None, 10, float(iteration))


def test_lines_of_each_task(capsys: pytest.CaptureFixture[str]) -> None:
    with show_tasks(limits) as display:
        display.announce("reading")
        for task in ("ner", "ner, without part 1 of 2", "fields"):
            for k in range(1, 4):
                display(task, round_at(k))
            if task == "ner":
                logging.getLogger("dovetail.pipeline.train.layerwise").info("some text is shared")
    shown = capsys.readouterr().err.splitlines()
    assert [line.split(" loss")[0] for line in shown] == [
        "reading",
        "ner: dual: iteration 1",
        "ner: dual: iteration 3",
        "note: some text is shared",
        "ner, without part 1 of 2: dual: iteration 1",
        "ner, without part 1 of 2: dual: iteration 3",
        "fields: dual: iteration 1",
        "fields: dual: iteration 3",
    ]


def test_logging_is_as_before() -> None:
    logger = logging.getLogger("dovetail.pipeline")
    before = logger.level, list(logger.handlers)
    with show_tasks(limits):
        pass
    assert (logger.level, logger.handlers) == before


def test_live_table() -> None:
    console = Console(file=io.StringIO(), width=120)
    table = TaskTable(limits, console)
    table.announce("reading a file")
    console.print(table.render())
    table.note("[shared] text")
    for task in ("ner", "ner, without part 1 of 2", "ner, without part 2 of 2", "fields"):
        table(task, round_at(7))
    before = len(console.file.getvalue())  # type: ignore[attr-defined]
    console.print(table.render())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "reading a file" in shown
    assert "note: [shared] text" in shown
    rows = shown[before:].splitlines()
    assert [row.split("  ")[0] for row in rows] == [
        "task",
        "ner",
        "ner, without part 2 of 2",
        "fields",
    ]
    assert "1,234.50" in rows[1]
