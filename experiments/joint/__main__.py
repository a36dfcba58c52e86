"""``python -m experiments.joint``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.joint.experiment import DATA, JointExperiment, case_names
from experiments.joint.report import JointReport


def report(experiment: JointExperiment, results: Results) -> JointReport:
    """What the results say."""
    return JointReport(results, experiment.out)


@click.command()
@experiment_options(
    "joint", splits=5, quick="Three draws without mails, a weak and a fair tagger below."
)
@click.option(
    "--case", "cases", multiple=True, type=click.Choice(case_names()), metavar="NAME",
    help="Alone, such as 'mails above 1000'.",
)  # fmt: skip
def main(**options: Any) -> None:
    """When does joint decoding pay, and when a lattice?

    Taggers of news below, trained on few, more and all sentences; above them chunks of the same
    newspaper, entities of two domains (CrossNER), and fields of seminar announcements, at two sizes
    each. A table goes to standard output, progress to standard error; joint.json and joint.html
    into the folder. Whatever is finished is kept at once.
    """
    run_command(JointExperiment, report, needed=DATA, draws=(3, 5), **options)


if __name__ == "__main__":
    main()
