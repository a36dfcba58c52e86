"""``python -m experiments.domains``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.domains.experiment import DATA, DomainExperiment
from experiments.domains.report import DomainReport

QUICK = "One sample of little Chinese text, without the paper's own recipe."


def report(experiment: DomainExperiment, results: Results) -> DomainReport:
    """What the results say."""
    return DomainReport(results, experiment.out)


@click.command()
@experiment_options("domains", splits=3, quick=QUICK)
@click.option("--study", "only", multiple=True, metavar="NAME", help="Alone, by its title.")
def main(**options: Any) -> None:
    """Representations that survive a change of domain.

    After Huang and Yates (2012): parts of speech of Chinese and of English from news to twelve
    other genres, entities from news to four other kinds of text, with hidden Markov models that are
    biased in three ways; as the paper has it, and with our defaults. Tables go to standard output,
    progress to standard error; domains.json and a page for each study into the folder. Whatever is
    finished is kept at once.
    """
    run_command(DomainExperiment, report, needed=DATA, draws=(1, 3), **options)


if __name__ == "__main__":
    main()
