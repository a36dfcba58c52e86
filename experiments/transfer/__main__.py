"""``python -m experiments.transfer``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.transfer.experiment import DATA, TransferExperiment
from experiments.transfer.report import TransferReport


def report(experiment: TransferExperiment, results: Results) -> TransferReport:
    """What the results say."""
    return TransferReport(results, experiment.out)


@click.command()
@experiment_options("transfer", splits=3, quick="One draw of four cases.")
def main(**options: Any) -> None:
    """Transfer to tasks with little labelled text: does "auto" ever lose?

    Entities of five domains (CrossNER), addresses (usaddress), references and affiliations
    (GROBID), each at several training sizes. A table goes to standard output, progress to standard
    error; transfer.json and transfer.html into the folder. Whatever is finished is kept at once.
    """
    run_command(TransferExperiment, report, needed=DATA, draws=(1, 3), **options)


if __name__ == "__main__":
    main()
