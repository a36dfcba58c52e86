"""``python -m experiments.entities``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.entities.experiment import DATA, EntityExperiment
from experiments.entities.report import EntityReport


def report(experiment: EntityExperiment, results: Results) -> EntityReport:
    """What the results say."""
    return EntityReport(results, experiment.out)


@click.command()
@experiment_options("entities", splits=5, quick="One draw.")
def main(**options: Any) -> None:
    """Transfer from names in news to names and nominals of entities.

    After Sutton and McCallum (2005), Table 4, with a tenth of the documents to train on. LitBank
    and GUM stand in for ACE, which is licensed. Tables go to standard output, progress to standard
    error; entities.json, litbank.html and gum.html into the folder. Whatever is finished is kept at
    once.
    """
    run_command(EntityExperiment, report, needed=DATA, draws=(1, 5), **options)


if __name__ == "__main__":
    main()
