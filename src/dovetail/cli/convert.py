"""``dovetail convert``: a corpus from one format to another."""

from __future__ import annotations

from typing import Any

import click

from dovetail.cli.inputs import column_names
from dovetail.corpus import SCHEMES, UNITS
from dovetail.corpus.span_texts import TOKENS
from dovetail.interop.conversion import READABLE, WRITABLE, convert, guessed_source, guessed_target

READING: dict[str, tuple[str, ...]] = {
    "columns": ("conll",),
    "unit": ("text", "brat"),
    "tokens": ("brat", "doccano", "label-studio"),
}
WRITING: dict[str, tuple[str, ...]] = {"tags": ("parserator",)}


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", type=click.Choice(READABLE), help="Format of IN.")
@click.option("--to", "target_format", type=click.Choice(WRITABLE), help="Format of OUT.")
@click.option("--columns", metavar="A,B,...", help="Names of the columns of a CoNLL file.")
@click.option(
    "--label", metavar="COLUMN", help="The column of labels, by default the one called label."
)
@click.option(
    "--scheme",
    type=click.Choice(SCHEMES),
    help="Write the labels in this scheme; none: plain labels.",
)
@click.option("--unit", type=click.Choice(UNITS), help="What of text or brat's is one sequence.")
@click.option(
    "--tokens",
    type=click.Choice(TOKENS),
    help="How the text of brat, doccano and Label Studio is cut: into words, or at blanks only.",
)
@click.option(
    "--tags",
    metavar="ALL/EACH",
    help="Tags of parserator's XML, by default AddressCollection/AddressString.",
)
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    label: str | None,
    scheme: Any,
    columns: str | None,
    unit: str | None,
    tokens: str | None,
    tags: str | None,
) -> None:
    """Change the format of a corpus.

    Without --from and --to the names of the files tell their formats, and the first labels in a
    .jsonl file whether it is doccano's. IN and OUT are files, - for standard input and output, or
    for brat also folders. What the new format cannot hold is said in one line.
    """
    for path, format, option in ((source, source_format, "from"), (target, target_format, "to")):
        if path == "-" and format is None:
            raise click.UsageError(f"- has no name that tells its format: give --{option}")
    known = source_format or guessed_source(source)
    wanted = target_format or guessed_target(target)
    done = convert(
        source,
        target,
        known,
        wanted,
        label=label,
        scheme=scheme,
        reading=_options(READING, known, columns=column_names(columns), unit=unit, tokens=tokens),
        writing=_options(WRITING, wanted, tags=_pair(tags)),
    )
    if done.notes:
        click.echo(f"dovetail: {'; '.join(done.notes)}", err=True)
    if target != "-":
        count = f"{len(done.corpus):,} sequences, {done.corpus.n_tokens:,} tokens"
        click.echo(f"{target}  {wanted}, {count}")


def _options(uses: dict[str, tuple[str, ...]], format: str, **given: Any) -> dict[str, Any]:
    """The options that were given, all of which must belong to the format."""
    for name, value in given.items():
        if value is not None and format not in uses[name]:
            raise click.UsageError(f"--{name} is for {' and '.join(uses[name])}, not for {format}")
    return {name: value for name, value in given.items() if value is not None}


def _pair(tags: str | None) -> tuple[str, str] | None:
    if tags is None:
        return None
    whole, slash, each = tags.partition("/")
    if not (whole and slash and each):
        raise click.UsageError(f"--tags takes two tags, ALL/EACH, not '{tags}'")
    return whole, each
