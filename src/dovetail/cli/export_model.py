"""``dovetail export-model``: a model of ours for another program."""

from __future__ import annotations

import click

from dovetail import Tagger
from dovetail.cli.models import check_writable, load
from dovetail.errors import DataError
from dovetail.interop import export_model


@click.command("export-model")
@click.argument("source", metavar="MODEL")
@click.argument("target", metavar="OUT")
@click.option(
    "--format",
    type=click.Choice(("crfsuite", "json")),
    help="By default json if the name of OUT ends in .json, otherwise crfsuite.",
)
def command(source: str, target: str, format: str | None) -> None:
    """Export a model for CRFsuite, or as JSON."""
    check_writable(target)
    tagger = load(source)
    if not isinstance(tagger, Tagger):
        raise DataError(f"{source} holds a pipeline; only a single tagger can be exported")
    export_model(tagger, target, format or ("json" if target.endswith(".json") else "crfsuite"))
