"""``dovetail reproduce``: published experiments, done again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import click

from dovetail.cli.compare import COUNT, show_cells
from dovetail.compare import Progress
from dovetail.compare.plan import Result
from dovetail.compare.report import require_report
from dovetail.reproduce import chunk_data, small_data
from dovetail.reproduce import domains as across_domains
from dovetail.reproduce import entities as names_and_nominals
from dovetail.reproduce import together as gains_together
from dovetail.reproduce.chunk_output import ChunkFindings
from dovetail.reproduce.chunking import ChunkTrial
from dovetail.reproduce.domain_output import DomainFindings
from dovetail.reproduce.entity_output import EntityFindings
from dovetail.reproduce.little import DATA as LITTLE_DATA
from dovetail.reproduce.little import DRAWS, LittleTrial
from dovetail.reproduce.little_output import LittleFindings
from dovetail.reproduce.output import Findings
from dovetail.reproduce.small_data_output import SmallDataFindings
from dovetail.reproduce.sources import data_folder, folder_with
from dovetail.reproduce.studies import Settings, run_studies
from dovetail.reproduce.trials import Trial, run_trial

TEXT_WIDTH = 200  # of a file or a pipe
Shown = Callable[[str, Progress], None]
Results = Mapping[str, Sequence[Result]]


class Told(Protocol):
    """What an experiment has found."""

    def for_terminal(self) -> Any: ...
    def write(self) -> list[Path]: ...


@click.group("reproduce")
def command() -> None:
    """Do published experiments again, on data that is already here."""


def _options(out: str, splits: int, quick: str) -> Callable[[Any], Any]:
    """The options that all experiments have."""
    added = [
        click.option("--data", metavar="FOLDER", help="Data sets.  [default: DOVETAIL_DATA]"),
        click.option("--out", metavar="FOLDER", default=out, show_default=True, help="Results."),
        click.option("--quick", is_flag=True, help=quick),
        click.option(
            "--splits", type=COUNT, metavar="N", help=f"Divisions, or folds.  [default: {splits}]"
        ),
        click.option(
            "--threads", type=COUNT, metavar="N", help="Processes, by default one a core."
        ),
    ]

    def add(function: Any) -> Any:
        for option in reversed(added):
            function = option(function)
        return function

    return add


@command.command("seminars")
@_options("seminars", 10, "Two splits, the paper's features, no soft or stacked.")
def seminars(
    data: str | None, out: str, quick: bool, splits: int | None, threads: int | None
) -> None:
    """Transfer from entities in news to fields of seminar announcements.

    After Sutton and McCallum (2005): no transfer, cascaded and joint decoding, and other ways,
    with the paper's features and with our best. Tables go to standard output, progress to standard
    error; seminars.json, seminars.html and best.html into the folder. Whatever is finished is kept
    at once: after an interruption the same command goes on where it stopped.
    """
    require_report()
    n_splits = splits or (2 if quick else 10)
    settings = Settings(data_folder(data), Path(out), n_splits, quick)
    with _shown() as show:
        results, material, notes = run_studies(
            settings, processes=_processes(threads), progress=show, say=_say
        )
    _tell(Findings(settings, results, material), notes)


@command.command("entities")
@_options("entities", 5, "One draw.")
def entities(**options: Any) -> None:
    """Transfer from names in news to names and nominals of entities.

    After Sutton and McCallum (2005), Table 4, with a tenth of the documents to train on. LitBank
    and GUM stand in for ACE, which is licensed. Tables go to standard output, progress to standard
    error; entities.json, litbank.html and gum.html into the folder. Whatever is finished is kept at
    once.
    """
    _try(
        names_and_nominals.EntityTrial,
        names_and_nominals.DATA,
        EntityFindings,
        draws=(1, 5),
        **options,
    )


@command.command("transfer")
@_options("transfer", 3, "One draw of four cases.")
def transfer(**options: Any) -> None:
    """Transfer to tasks with little labelled text: does "auto" ever lose?

    Entities of five domains (CrossNER), addresses (usaddress), references and affiliations
    (GROBID), each at several training sizes. A table goes to standard output, progress to standard
    error; transfer.json and transfer.html into the folder. Whatever is finished is kept at once.
    """
    _try(small_data.SmallDataTrial, small_data.DATA, SmallDataFindings, draws=(1, 3), **options)


@command.command("little")
@_options("little", DRAWS, "Two draws of four cases, two sizes, four systems, smaller test parts.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--size", "sizes", multiple=True, type=COUNT, metavar="N", help="Likewise.")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Likewise.")
def little(**options: Any) -> None:
    """What does one get from 10 to 300 labelled sequences?

    Entities, fields of mails, addresses, references, names and recipes: our tagger with nothing
    set, "auto" above an old tagger, the tagger of a well-known tutorial, the old tagger alone, old
    and new text pooled, and spaCy where it is installed. A table goes to standard output, progress
    to standard error; little.json and little.svg into the folder. Whatever is finished is kept at
    once, and what does not depend on code that has changed since.
    """
    _try(LittleTrial, LITTLE_DATA, LittleFindings, draws=(2, DRAWS), **options)


@command.command("together")
@_options("together", 3, "One draw of one case.")
def together(**options: Any) -> None:
    """Do the gains of transfer and of representations add up?

    Entities of five domains (CrossNER) and fields of seminar announcements, with little labelled
    text: recalibration, transfer from entities in news, and states of hidden Markov models, alone
    and together. A table goes to standard output, progress to standard error; together.json and
    together.html into the folder. Whatever is finished is kept at once.
    """

    def told(results: Results, out: Path) -> SmallDataFindings:
        return SmallDataFindings(results, out, "together", "Do gains add up?")

    _try(gains_together.TogetherTrial, gains_together.DATA, told, draws=(1, 3), **options)


@command.command("domains")
@_options("domains", 3, "One sample of little Chinese text, without the paper's own recipe.")
def domains(**options: Any) -> None:
    """Representations that survive a change of domain.

    After Huang and Yates (2012): parts of speech of Chinese and of English from news to twelve
    other genres, entities from news to four other kinds of text, with hidden Markov models that are
    biased in three ways; as the paper has it, and with our defaults. Tables go to standard output,
    progress to standard error; domains.json and a page for each study into the folder. Whatever is
    finished is kept at once.
    """
    _try(across_domains.DomainTrial, across_domains.DATA, DomainFindings, draws=(1, 3), **options)


@command.command("chunking")
@_options("chunking", 8, "Two folds of little text, five systems.")
def chunking(**options: Any) -> None:
    """Chunks with auxiliary tasks, and feature nets into a CRF.

    After He and others (2009): linear classifiers, alternating structure optimisation, support
    vectors, and CRFs that read the column of each, gold or cross-fitted; then auxiliary problems
    from unlabelled text. Three treebanks stand in for Chinese Treebank 5, which is licensed. Tables
    go to standard output, progress to standard error; chunking.json and a page for each corpus into
    the folder. Whatever is finished is kept at once.
    """
    _try(ChunkTrial, chunk_data.DATA, ChunkFindings, draws=(2, 8), **options)


def _try(
    kind: type[Trial],
    needed: Sequence[str],
    findings: Callable[[Results, Path], Told],
    *,
    draws: tuple[int, int],
    data: str | None,
    out: str,
    quick: bool,
    splits: int | None,
    threads: int | None,
    **more: Any,
) -> None:
    """Run a trial on data sets that it needs, and tell what it has found; ``draws`` are those of
    a quick one and of a whole one, ``more`` are settings of the trial."""
    require_report()
    n_draws = splits or draws[0 if quick else 1]
    trial = kind(folder_with(data, *needed), Path(out), n_draws, quick, **more)
    with _shown() as show:
        results, notes = run_trial(trial, processes=_processes(threads), progress=show, say=_say)
    _tell(findings(results, trial.out), notes)


def _processes(threads: int | None) -> int:
    return threads or os.cpu_count() or 1


def _say(text: str) -> None:
    click.echo(text, err=True)


@contextmanager
def _shown() -> Iterator[Shown]:
    with show_cells() as shown:

        def show(study: str, now: Progress) -> None:
            system = now.cell.system if now.cell else ""
            title = study if study.endswith(f": {system}") else f"{study}: {system}"
            cell = now.cell and replace(now.cell, system=title)
            shown(replace(now, cell=cell))

        yield show


def _tell(found: Told, notes: list[str]) -> None:
    for note in notes:
        _say(f"dovetail: {note}")
    from rich.console import Console

    width = None if sys.stdout.isatty() else TEXT_WIDTH
    Console(width=width, highlight=False).print(found.for_terminal())
    for path in found.write():
        _say(f"written    {click.format_filename(path)}")
