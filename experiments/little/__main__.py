"""``python -m experiments.little``."""

from __future__ import annotations

from typing import Any

import click

from experiments.common.command import COUNT, experiment_options, run_command
from experiments.common.experiment import Results
from experiments.little.experiment import DATA, DRAWS, LittleExperiment
from experiments.little.report import LittleReport

QUICK = "Two draws of four cases, two sizes, four systems, smaller test parts."


def report(experiment: LittleExperiment, results: Results) -> LittleReport:
    """What the results say."""
    return LittleReport(results, experiment.out)


@click.command()
@experiment_options("little", splits=DRAWS, quick=QUICK)
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--size", "sizes", multiple=True, type=COUNT, metavar="N", help="Likewise.")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Likewise.")
def main(**options: Any) -> None:
    """What does one get from 10 to 300 labelled sequences?

    Entities, fields of mails, addresses, references, names and recipes: our tagger with nothing
    set, "auto" above an old tagger, the tagger of a well-known tutorial, the old tagger alone, old
    and new text pooled, and where they are installed spaCy and ready-made word classes. A table
    goes to standard output, progress to standard error; little.json and little.svg into the folder.
    Whatever is finished is kept at once, and what does not depend on code that has changed since.
    """
    run_command(LittleExperiment, report, needed=DATA, draws=(2, DRAWS), **options)


if __name__ == "__main__":
    main()
