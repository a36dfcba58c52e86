"""``dovetail label``: label text in the browser, with a model that learns meanwhile."""

from __future__ import annotations

import os
import sys
import webbrowser
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.targets import check_outputs, force_option
from dovetail.corpus import UNITS
from dovetail.corpus.span_texts import TOKENS
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.studio.project import Project

DEFAULT_PORT = 8000
READING = ("format", "columns", "document", "unit", "tokens")


@click.command("label")
@click.argument("project", metavar="PROJECT", required=False)
@click.argument("more_files", nargs=-1, metavar="[FILE...]")
@click.option(
    "--import",
    "files",
    multiple=True,
    metavar="FILE...",
    help="Files to label, of any format that is read; also those that have labels already.",
)
@click.option(
    "--labels",
    "label_sets",
    multiple=True,
    metavar="[LAYER=]A,B,...",
    help="The labels, by default those in the files. Several layers, whose spans may overlap, are "
    "given one by one.",
)
@click.option(
    "--rename",
    "renamed",
    multiple=True,
    metavar="OLD=NEW",
    help="With --labels: what becomes of spans whose label is not among them; OLD= drops them.",
)
@click.option(
    "--with",
    "taggers",
    multiple=True,
    metavar="MODEL",
    help="A trained tagger of another task; it suggests from the first document on.",
)
@click.option(
    "--same",
    multiple=True,
    metavar="OLD=NEW",
    help="What a label of such a tagger means here, where the names differ.",
)
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    metavar="NAME",
    help="Who labels (me); for several, give one by one: each gets a link and labels of their own.",
)
@click.option("--format", metavar="NAME", help="Format of the files; by default their names tell.")
@click.option("--columns", metavar="A,B,...", help="Names of the columns of CoNLL files.")
@click.option(
    "--document",
    type=click.Choice(("file", "paragraph", "line")),
    default="file",
    help="What of plain text is a document (file).",
)
@click.option(
    "--unit",
    type=click.Choice(UNITS),
    default="paragraph",
    help="What of a plain text is one sequence (paragraph): no span goes beyond it.",
)
@click.option(
    "--tokens",
    type=click.Choice(TOKENS),
    default="words",
    help="How text is cut (words), or at blanks only.",
)
@click.option(
    "--export",
    "target",
    metavar="FILE",
    help="Write what is labelled and end; its name, or --export-format, tells the format.",
)
@click.option("--export-format", metavar="NAME", help="Format of what is written.")
@click.option("--all", "everything", is_flag=True, help="Export what is not done, too.")
@force_option
@click.option(
    "--finish",
    is_flag=True,
    help="Train on all that is done, save model, data and recipe in the project, and end.",
)
@click.option(
    "--simulate",
    "gold",
    metavar="GOLD",
    help="Label nothing: tell what labelling would cost, by hand and with help, on a text that has "
    "its labels in the last column.",
)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen (127.0.0.1).")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    metavar="N",
    help=f"Port to listen on ({DEFAULT_PORT}); 0: any that is free.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name that the page may be called by, beside localhost and addresses.",
)
@click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads; all cores.")
def command(project: str | None, **options: Any) -> None:
    """Label text in the browser, with a model that learns meanwhile.

    PROJECT is a folder; it is made if there is none, and then needs files to label and their
    labels. Nothing needs to be saved: each action is on the disk before the next.
    """
    if options["gold"] is not None:
        _simulate(project, options)
        return
    if project is None:
        raise DataError("which project? Give a folder: dovetail label PROJECT")
    from dovetail.studio.opening import open_project

    with open_project(project, _wishes(options)) as opened:
        if options["target"] is not None:
            _export(opened, options)
        elif options["finish"]:
            _finish(opened, options)
        else:
            _serve(opened, options)


def _simulate(project: str | None, options: dict[str, Any]) -> None:
    from dovetail.cli.label_simulation import simulate
    from dovetail.studio.opening import parse_pairs

    if project is not None:
        raise DataError(f"--simulate needs no project: leave out {project}")
    simulate(
        options["gold"],
        format=options["format"],
        columns=options["columns"],
        taggers=options["taggers"],
        same=parse_pairs(options["same"], "--same"),
        threads=options["threads"],
    )


def _wishes(options: dict[str, Any]) -> Any:
    from dovetail.studio.importing import Reading
    from dovetail.studio.opening import Wishes, parse_label_sets, parse_pairs

    return Wishes(
        files=(*options["files"], *options["more_files"]),
        labels=parse_label_sets(options["label_sets"]),
        renamed=parse_pairs(options["renamed"], "--rename"),
        taggers=options["taggers"],
        same=parse_pairs(options["same"], "--same"),
        annotators=options["annotators"],
        reading=Reading(**{name: options[name] for name in READING}),
    )


def _export(project: Project, options: dict[str, Any]) -> None:
    from pathlib import Path

    from dovetail.interop.conversion import guess_target_format
    from dovetail.studio.exporting import export
    from dovetail.studio.project import MODELS
    from dovetail.studio.settled import agreed_annotations, whose_labels

    target = options["target"]
    own = (project.folder, project.folder / MODELS, *options["files"], *options["more_files"])
    if not os.path.isdir(target):
        check_outputs([target], own, force=options["force"])
    elif any(os.listdir(target)) and not options["force"]:
        raise DataError(f"{target} is not empty: name a new folder, or --force to write into it")
    written = export(
        project,
        Path(target),
        options["export_format"] or guess_target_format(target),
        agreed_annotations(project, whose_labels(project)),
        what="all" if options["everything"] else "done",
    )
    for note in written.notes:
        click.echo(f"dovetail: {note}", err=True)
    count = f"{written.documents} document{'s' * (written.documents != 1)}"
    click.echo(f"{count} written to {target}")


def _finish(project: Project, options: dict[str, Any]) -> None:
    from dovetail.studio.finishing import finish

    click.echo(finish(project, threads=options["threads"]).to_text())


def _serve(project: Project, options: dict[str, Any]) -> None:
    try:
        from dovetail.serve.limits import Limits
        from dovetail.serve.server import open_socket, run
        from dovetail.studio.app import make_app
        from dovetail.studio.loop import Loop
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise DataError(f"dovetail label needs {missing}: pip install 'dovetail[studio]'") from None
    host = options["host"]
    listening = open_socket(host, options["port"])
    limits = Limits()
    loop = Loop(project, threads=options["threads"])
    app = make_app(project, loop, limits=limits, hosts=[*options["hosts"], host])

    def tell() -> None:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listening.getsockname()[1]}/"
        project.database.note_address(address)
        links = {who: f"{address}#token={project.token_of(who)}" for who in project.annotators}
        first = next(iter(links.values()))
        if len(links) == 1:
            click.echo(f"Labelling {project.name} on {first} (Ctrl-C stops)")
        else:
            click.echo(f"Labelling {project.name} on {address} (Ctrl-C stops); each has a link:")
            for who, link in links.items():
                click.echo(f"  {who}: {link}")
        if not options["no_open"]:
            Thread(target=webbrowser.open, args=(first,), daemon=True).start()

    try:
        run(app, listening, limits, started=tell, leaving=app.state.events.stop)
    except SystemExit as end:
        if loop.is_at_work:  # nothing of it is kept, and nobody waits for it
            project.close()
            sys.stdout.flush()
            os._exit(int(end.code or 0))
        raise
