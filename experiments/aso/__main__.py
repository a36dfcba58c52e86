"""``python -m experiments.aso``."""

from __future__ import annotations

from typing import Any

import click

from experiments.aso.experiment import DATA, LittleTextExperiment
from experiments.aso.report import LittleTextReport
from experiments.aso.study import STRUCTURE, SYSTEMS
from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results

NAMED = (*SYSTEMS, STRUCTURE)


def report(experiment: LittleTextExperiment, results: Results) -> LittleTextReport:
    """What the results say."""
    return LittleTextReport(results, experiment.out)


@click.command()
@experiment_options("aso", splits=10, quick="Two draws of one domain at the smaller size.")
@click.option(
    "--development",
    is_flag=True,
    help="Test on what is left of the training and development parts.",
)
@click.option("--unlabelled", is_flag=True, help="Also with tasks from text without labels.")
@click.option(
    "--system", "systems", multiple=True, type=click.Choice((*SYSTEMS, STRUCTURE)), help="Alone."
)
def main(**options: Any) -> None:
    """Alternating structure optimisation with 50 and 100 labelled sentences: does it ever harm?

    Linear taggers of the entities of five domains (CrossNER), with auxiliary tasks from their own
    text and from the labels of entities in news. A table goes to standard output, progress to
    standard error; aso.json and a page for each domain into the folder. Whatever is finished is
    kept at once.
    """
    run_command(LittleTextExperiment, report, needed=DATA, draws=(2, 10), **options)


if __name__ == "__main__":
    main()
