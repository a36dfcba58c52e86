"""The command line of the experiments: ``python -m experiments.NAME``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from dovetail import DovetailError
from dovetail.compare import require_report
from experiments.common.data_sets import find_data_folder
from experiments.common.experiment import Experiment, Report, Results
from experiments.common.interruption import ExperimentInterrupted, interruptible
from experiments.common.progress import show_progress
from experiments.common.runner import run_experiment

COUNT = click.IntRange(1)
INTERRUPTED = 128 + 2
TEXT_WIDTH = 200  # of a file or a pipe
Kind = TypeVar("Kind", bound=Experiment)


def experiment_options(name: str, *, splits: int, quick: str) -> Callable[[Any], Any]:
    """The options that all experiments have."""
    added = [
        click.option("--data", metavar="FOLDER", help="Data sets.  [default: DOVETAIL_DATA]"),
        click.option("--out", metavar="FOLDER", default=name, show_default=True, help="Results."),
        click.option("--quick", is_flag=True, help=quick),
        click.option(
            "--splits", type=COUNT, metavar="N", help=f"Divisions, or folds.  [default: {splits}]"
        ),
        click.option(
            "--threads", type=COUNT, metavar="N", help="Processes, by default one a core."
        ),
    ]

    def add(function: Any) -> Any:
        for option in reversed(added):
            function = option(function)
        return function

    return add


def run_command(
    kind: Callable[..., Kind],
    report: Callable[[Kind, Results], Report],
    *,
    needed: Sequence[str],
    draws: tuple[int, int],
    data: str | None,
    out: str,
    quick: bool,
    splits: int | None,
    threads: int | None,
    **settings: Any,
) -> None:
    """Run an experiment on the data sets that it needs, and show and write what it has found.

    ``draws`` are those of a quick one and of a whole one, ``settings`` the experiment's own.
    """
    try:
        require_report()
        n_draws = splits or draws[0 if quick else 1]
        folder = find_data_folder(data, *needed)
        experiment = kind(folder, Path(out), n_draws, quick, **settings)
        with interruptible(), show_progress() as show:
            results, notes = run_experiment(
                experiment, processes=threads or os.cpu_count() or 1, progress=show, say=_say
            )
        for note in notes:
            _say(note)
        found = report(experiment, results)
        width = None if sys.stdout.isatty() else TEXT_WIDTH
        Console(width=width, highlight=False).print(found.for_terminal())
        for path in found.write():
            _say(f"written    {click.format_filename(path)}")
    except DovetailError as error:
        raise click.ClickException(str(error)) from None
    except (KeyboardInterrupt, ExperimentInterrupted):
        _say("interrupted; the same command goes on where it stopped")
        sys.exit(INTERRUPTED)


def _say(text: str) -> None:
    click.echo(text, err=True)
