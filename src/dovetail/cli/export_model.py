"""``dovetail export-model``: a model of ours for another program."""

from __future__ import annotations

import click

from dovetail import Tagger
from dovetail.cli.models import load
from dovetail.cli.targets import check_outputs, force_option
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
@force_option
def command(source: str, target: str, format: str | None, force: bool) -> None:
    """Export a model for CRFsuite, or as JSON."""
    check_outputs([target], [source], force=force)
    tagger = load(source)
    if not isinstance(tagger, Tagger):
        raise DataError(f"{source} holds a pipeline; only a single tagger can be exported")
    export_model(tagger, target, format or ("json" if target.endswith(".json") else "crfsuite"))
