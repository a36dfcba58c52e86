"""``python -m experiments.together``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import COUNT, experiment_options, run_command
from experiments.common.experiment import Results
from experiments.readers.crossner import DOMAINS
from experiments.together.experiment import DATA, TogetherExperiment
from experiments.together.report import TogetherReport

CASES = (*(f"CrossNER {domain}" for domain in DOMAINS), "seminars")


def report(experiment: TogetherExperiment, results: Results) -> TogetherReport:
    """What the results say."""
    return TogetherReport(results, experiment.out)


@click.command()
@experiment_options("together", splits=5, quick="One draw of one case.")
@click.option("--case", "cases", multiple=True, type=click.Choice(CASES), help="Alone.")
@click.option("--size", "sizes", multiple=True, type=COUNT, metavar="N", help="Sequences, alone.")
def main(**options: Any) -> None:
    """Do the gains of states, shared structure and transfer add up?

    Entities of five domains (CrossNER) and fields of seminar announcements, with little labelled
    text: states of hidden Markov models, a linear tagger that shares directions with the labels of
    news (ASO), and a tagger of entities in news (NER), pooled by `auto`; all three, and without
    each in turn. A table goes to standard output, progress to standard error; together.json and
    together.html into the folder. Whatever is finished is kept at once.
    """
    run_command(TogetherExperiment, report, needed=DATA, draws=(1, 5), **options)


if __name__ == "__main__":
    main()
