"""``dovetail import-model``: a model of another program as one of ours."""

from __future__ import annotations

import click

from dovetail.cli.targets import check_outputs, force_option
from dovetail.errors import DataError
from dovetail.interop import import_model


@click.command("import-model")
@click.argument("source", metavar="OLD")
@click.argument("target", metavar="NEW")
@click.option(
    "--columns",
    metavar="A,B,...",
    help="Names of the columns that the template of a CRF++ or Wapiti model reads.",
)
@force_option
def command(source: str, target: str, columns: str | None, force: bool) -> None:
    """Convert a model of CRFsuite, CRF++ or Wapiti to a model of Dovetail.

    OLD is a binary model of CRFsuite, a binary or text model of CRF++, or a model of Wapiti; NEW is
    the file to write. The labels and their probabilities stay the same.
    """
    check_outputs([target], [source], force=force)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    tagger = import_model(source, columns=names)
    if "imported" not in tagger.training_:
        raise DataError(f"{source} is a model of ours already; there is nothing to import")
    tagger.save(target)
    click.echo(
        f"{target}: a model of {tagger.training_['imported']}, {len(tagger.labels_)} labels, "
        f"{tagger.n_features_:,} features"
    )
