"""``dovetail reproduce``: published experiments, done again."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from dovetail.cli.compare import COUNT, show_cells
from dovetail.compare import Progress
from dovetail.compare.report import require_report
from dovetail.reproduce.output import Findings
from dovetail.reproduce.sources import data_folder
from dovetail.reproduce.studies import Settings, run_studies

QUICK_SPLITS, SPLITS = 2, 10
TEXT_WIDTH = 200  # of a file or a pipe


@click.group("reproduce")
def command() -> None:
    """Do published experiments again, on data that is already here."""


@command.command("seminars")
@click.option("--data", metavar="FOLDER", help="Data sets.  [default: DOVETAIL_DATA]")
@click.option("--out", metavar="FOLDER", default="seminars", show_default=True, help="Results.")
@click.option("--quick", is_flag=True, help="Two splits, the paper's features, no soft or stacked.")
@click.option("--splits", type=COUNT, metavar="N", help="Random halves.  [default: 10]")
@click.option("--threads", type=COUNT, metavar="N", help="Processes, by default one a core.")
def seminars(
    data: str | None, out: str, quick: bool, splits: int | None, threads: int | None
) -> None:
    """Transfer from entities in news to fields of seminar announcements.

    After Sutton and McCallum (2005): no transfer, cascaded and joint decoding, and other ways,
    with the paper's features and with our best. Tables go to standard output, progress to standard
    error; seminars.json, seminars.html and best.html into the folder. Whatever is finished is kept
    at once: after an interruption the same command goes on where it stopped.
    """
    require_report()
    n_splits = splits or (QUICK_SPLITS if quick else SPLITS)
    settings = Settings(data_folder(data), Path(out), n_splits, quick)
    with show_cells() as shown:

        def show(study: str, now: Progress) -> None:
            cell = now.cell and replace(now.cell, system=f"{study}: {now.cell.system}")
            shown(replace(now, cell=cell))

        results, material, notes = run_studies(
            settings,
            processes=threads or os.cpu_count() or 1,
            progress=show,
            say=lambda text: click.echo(text, err=True),
        )
    for note in notes:
        click.echo(f"dovetail: {note}", err=True)
    findings = Findings(settings, results, material)
    from rich.console import Console

    width = None if sys.stdout.isatty() else TEXT_WIDTH
    Console(width=width, highlight=False).print(findings.for_terminal())
    for path in findings.write():
        click.echo(f"written    {click.format_filename(path)}", err=True)
