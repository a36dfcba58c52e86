"""``python -m experiments.seminars``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.seminars.experiment import SeminarExperiment
from experiments.seminars.report import SeminarReport

QUICK = "Two splits, the paper's features, no soft or stacked."


@click.command()
@experiment_options("seminars", splits=10, quick=QUICK)
def main(**options: Any) -> None:
    """Transfer from entities in news to fields of seminar announcements.

    After Sutton and McCallum (2005): no transfer, cascaded and joint decoding, and other ways,
    with the paper's features and with our best. Tables go to standard output, progress to standard
    error; seminars.json, seminars.html and best.html into the folder. Whatever is finished is kept
    at once: after an interruption the same command goes on where it stopped.
    """
    run_command(SeminarExperiment, SeminarReport, needed=("seminars",), draws=(2, 10), **options)


if __name__ == "__main__":
    main()
