"""``python -m experiments.chunking``."""

from __future__ import annotations

from typing import Any

import click

from experiments.chunking.experiment import ChunkExperiment
from experiments.chunking.report import ChunkReport
from experiments.chunking.study import SYSTEMS
from experiments.common.command import experiment_options, run_command
from experiments.common.experiment import Results
from experiments.readers.function_chunks import CORPORA, DATA


def report(experiment: ChunkExperiment, results: Results) -> ChunkReport:
    """What the results say."""
    return ChunkReport(results, experiment.out)


@click.command()
@experiment_options("chunking", splits=8, quick="Two folds of little text, five systems.")
@click.option("--corpus", "corpora", multiple=True, type=click.Choice([*CORPORA]), help="Alone.")
@click.option("--system", "systems", multiple=True, type=click.Choice(SYSTEMS), help="Alone.")
def main(**options: Any) -> None:
    """Chunks with auxiliary tasks, and feature nets into a CRF.

    After He and others (2009): linear classifiers, alternating structure optimisation, support
    vectors, and CRFs that read the column of each, gold or cross-fitted; then auxiliary problems
    from unlabelled text. Three treebanks stand in for Chinese Treebank 5, which is licensed. Tables
    go to standard output, progress to standard error; chunking.json and a page for each corpus into
    the folder. Whatever is finished is kept at once.
    """
    run_command(ChunkExperiment, report, needed=DATA, draws=(2, 8), **options)


if __name__ == "__main__":
    main()
