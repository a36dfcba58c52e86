"""``python -m experiments.labelling``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.labelling.cases import DATA
from experiments.labelling.experiment import SEEDS, LabellingExperiment
from experiments.labelling.report import LabellingReport

QUICK = "One order of one case, two methods, half of the full score."


def report(experiment: LabellingExperiment, results: Results) -> LabellingReport:
    """What the results say."""
    return LabellingReport(results, experiment.out)


@click.command()
@experiment_options("labelling", splits=SEEDS, quick=QUICK)
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Likewise.")
def main(**options: Any) -> None:
    """What does labelling cost, by hand and with help?

    An annotator who never errs labels until a model has 90 % of the F1 that all text would give:
    by hand, with suggestions, choosing what to label next, asked about single places, and with
    suggestions of old taggers. A table goes to standard output, progress to standard error;
    labelling.json into the folder. Whatever is finished is kept at once.
    """
    run_command(LabellingExperiment, report, needed=DATA, draws=(1, SEEDS), **options)


if __name__ == "__main__":
    main()
