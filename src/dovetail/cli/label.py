"""``dovetail label``: label text in the browser, with a model that learns meanwhile."""

from __future__ import annotations

import webbrowser
from threading import Thread

import click

from dovetail.errors import DataError

DEFAULT_PORT = 8000


@click.command("label")
@click.argument("project", metavar="PROJECT")
@click.option(
    "--import",
    "files",
    multiple=True,
    metavar="FILE...",
    help="Files to label; further ones may follow without the option.",
)
@click.argument("more_files", nargs=-1, metavar="[FILE...]")
@click.option(
    "--labels",
    "label_sets",
    multiple=True,
    metavar="[LAYER=]A,B,...",
    help="The labels; several layers, whose spans may overlap, are given one by one.",
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
def command(
    project: str,
    files: tuple[str, ...],
    more_files: tuple[str, ...],
    label_sets: tuple[str, ...],
    host: str,
    port: int,
    hosts: tuple[str, ...],
    no_open: bool,
) -> None:
    """Label text in the browser, with a model that learns meanwhile.

    PROJECT is a folder; it is made if it is not there, and then needs --labels and files to label.
    """
    try:
        from dovetail.serve.limits import Limits
        from dovetail.serve.server import open_socket, run
        from dovetail.studio.app import make_app
        from dovetail.studio.importing import read_text_document
        from dovetail.studio.project import ME, Layer, Project, Source
        from dovetail.studio.suggesting import InOrder
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise DataError(f"dovetail label needs {missing}: pip install 'dovetail[studio]'") from None
    if Project.is_there(project):
        opened = Project.open(project)
    else:
        sets = [one.rpartition("=") for one in label_sets]
        layers = [Layer.of(name or "label", labels.split(",")) for name, _, labels in sets]
        opened = Project.create(project, layers)
    with opened:
        for file in (*files, *more_files):
            document = read_text_document(file, "paragraph")
            opened.add_documents(Source(file, "text"), [document], [None], [{}])
        listening = open_socket(host, port)
        limits = Limits()
        app = make_app(opened, InOrder(opened), limits=limits, hosts=[*hosts, host])

        def tell() -> None:
            name = f"[{host}]" if ":" in host else host
            address = f"http://{name}:{listening.getsockname()[1]}/"
            opened.database.note_address(address)
            link = f"{address}#token={opened.token_of(ME)}"
            click.echo(f"Labelling {opened.name} on {link} (Ctrl-C stops)")
            if not no_open:
                Thread(target=webbrowser.open, args=(link,), daemon=True).start()

        run(app, listening, limits, started=tell)
