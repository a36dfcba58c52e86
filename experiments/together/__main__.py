"""``python -m experiments.together``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.together.experiment import DATA, TogetherExperiment
from experiments.transfer.report import TransferReport


def report(experiment: TogetherExperiment, results: Results) -> TransferReport:
    """What the results say."""
    return TransferReport(results, experiment.out, "together", "Do gains add up?")


@click.command()
@experiment_options("together", splits=3, quick="One draw of one case.")
def main(**options: Any) -> None:
    """Do the gains of transfer and of representations add up?

    Entities of five domains (CrossNER) and fields of seminar announcements, with little labelled
    text: recalibration, transfer from entities in news, and states of hidden Markov models, alone
    and together. A table goes to standard output, progress to standard error; together.json and
    together.html into the folder. Whatever is finished is kept at once.
    """
    run_command(TogetherExperiment, report, needed=DATA, draws=(1, 3), **options)


if __name__ == "__main__":
    main()
