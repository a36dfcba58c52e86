"""``dovetail compare``: which way of using other tasks is best for one's own data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console

from dovetail.cli.clusters import cluster_option, open_workers
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.targets import check_default_outputs, check_outputs, force_option
from dovetail.compare import Cell, Progress, Store, Summary, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.compare.formatting import describe_measure
from dovetail.compare.progress_bar import progress_bar
from dovetail.compare.report import require_report, write_report
from dovetail.compare.table import as_text, for_terminal
from dovetail.recipe import Recipe

COUNT = click.IntRange(1)
Shown = Callable[[Progress], None]


@click.command("compare")
@click.argument("recipe", metavar="RECIPE.TOML")
@click.option("--html", metavar="FILE", help="Where to write the report.  [default: RECIPE.html]")
@click.option("--no-html", is_flag=True, help="Write no report.")
@click.option(
    "--results",
    metavar="FILE",
    help="Where finished parts are saved.  [default: RECIPE.results.jsonl]",
)
@click.option("--threads", type=COUNT, metavar="N", help="Number of threads (all cores).")
@cluster_option
@force_option
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    recipe: str,
    html: str | None,
    no_html: bool,
    results: str | None,
    threads: int | None,
    cluster: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Compare ways of transfer learning on the data of a recipe's last task.

    The systems none, cascade, soft, lattice, stacked, joint and auto can be trained and scored on
    the same splits; the table [compare] of the recipe says which, and how: by default on ten random
    halves. The results go to standard output, as a table or with --json as JSON, and progress goes
    to standard error. Finished parts are saved: after an interruption, the same command continues
    where it stopped.
    """
    plan = Recipe.read(recipe)
    base = Path(recipe).with_suffix("")
    page = None if no_html else Path(html or f"{base}.html")
    if page is not None:
        require_report()
    kept = results or f"{base}.results.jsonl"
    chosen = {page: html, kept: results}
    check_default_outputs(*(path for path, name in chosen.items() if path and not name))
    tested = plan.compare.test if plan.compare else ()
    check_outputs([page], (recipe, *plan.files, *tested), force=force)
    check_outputs([kept], (recipe, *plan.files, *tested), adds=True)
    experiment = Experiment(plan, threads=threads)
    store = Store(kept, experiment.fingerprint)
    for note in (*store.notes, *experiment.notes):
        click.echo(f"dovetail: {note}", err=True)
    cells = experiment.plan.cells
    try:
        with show_cells() as shown, open_workers(cluster) as workers:
            found = run(experiment.plan, experiment.work, store, shown, cluster=workers)
    except KeyboardInterrupt:
        done = sum(store.get(cell) is not None for cell in cells)
        click.echo(
            f"dovetail: interrupted with {done} of {len(cells)} parts done, which are kept in "
            f"{kept}; the same command does the rest",
            err=True,
        )
        ctx.exit(INTERRUPTED)
    measures = experiment.comparison.measures
    summary = summarize(found, unit=experiment.unit, measures=measures)
    if as_json:
        click.echo(json.dumps({**summary.to_dict(), "facts": experiment.facts}))
    else:
        _print(summary)
    if page is not None:
        changes = [change for result in found for change in result.get("changes", ())]
        title = f"Transfer to '{experiment.task.name}'"
        facts = experiment.facts | {name: describe_measure(name, summary) for name in measures}
        write_report(page, summary, title=title, facts=facts, changes=changes)
        click.echo(f"report     {click.format_filename(page)}", err=True)


def _print(summary: Summary) -> None:
    if not sys.stdout.isatty():
        click.echo(as_text(summary))
        return
    Console().print(for_terminal(summary))


@contextmanager
def show_cells(name_cell: Callable[[Cell], str] = lambda cell: cell.id) -> Iterator[Shown]:
    """A function that shows where the comparison is."""
    with progress_bar() as show:
        yield lambda now: show("" if now.cell is None else name_cell(now.cell), now)
