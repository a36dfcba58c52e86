"""``dovetail convert``: a corpus from one format to another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dovetail.cli.targets import check_outputs, force_option
from dovetail.corpus import SCHEMES
from dovetail.corpus.format import Option
from dovetail.errors import DataError
from dovetail.interop.conversion import (
    FORMATS,
    READABLE,
    WRITABLE,
    convert,
    guess_source_format,
    guess_target_format,
)

Function = TypeVar("Function", bound=Callable[..., Any])
READING = {one.name: one for format in FORMATS.values() for one in format.read_options}
WRITING = {one.name: one for format in FORMATS.values() for one in format.write_options}


def format_options(function: Function) -> Function:
    """The options of all formats, as their entries say."""
    for one in reversed([*READING.values(), *WRITING.values()]):
        kind = click.Choice(one.choices) if one.choices else None
        function = click.option(f"--{one.name}", type=kind, metavar=one.metavar, help=one.help)(
            function
        )
    return function


@click.command("convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", type=click.Choice(READABLE), help="Format of IN.")
@click.option("--to", "target_format", type=click.Choice(WRITABLE), help="Format of OUT.")
@click.option("--label", metavar="COLUMN", help="The label column (label).")
@click.option(
    "--scheme",
    type=click.Choice(SCHEMES),
    help="Write the labels in this scheme; none means plain labels.",
)
@format_options
@force_option
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    label: str | None,
    scheme: Any,
    force: bool,
    **options: str | None,
) -> None:
    """Convert a corpus to another format.

    Without --from and --to, the formats follow from the names of the files, and for .jsonl from the
    first labels in it. IN and OUT are files, - for standard input and output, or folders for brat.
    A line on standard error says what the new format cannot hold.
    """
    for path, format, option in ((source, source_format, "from"), (target, target_format, "to")):
        if path == "-" and format is None:
            raise click.UsageError(f"- has no name that tells its format: give --{option}")
    known = source_format or guess_source_format(source)
    wanted = target_format or guess_target_format(target)
    written = target if wanted != "brat" or Path(target).suffix in (".txt", ".ann") else None
    check_outputs((written, options.get("interface")), [source], force=force)
    given = {name: value for name, value in options.items() if value is not None}
    done = convert(
        source,
        target,
        known,
        wanted,
        label=label,
        scheme=scheme,
        reading=_parse_options(given, READING, known),
        writing=_parse_options(given, WRITING, wanted),
    )
    if done.notes:
        click.echo(f"dovetail: {'; '.join(done.notes)}", err=True)
    if target != "-":
        count = f"{len(done.corpus):,} sequences, {done.corpus.n_tokens:,} tokens"
        click.echo(f"{target}  {wanted}, {count}")


def _parse_options(
    given: dict[str, str], options: dict[str, Option], format: str
) -> dict[str, Any]:
    """Those of the options that were given, all of which must belong to the format."""
    parsed = {}
    for name, option in options.items():
        if name not in given:
            continue
        users = [
            key for key, one in FORMATS.items() if option in one.read_options + one.write_options
        ]
        if format not in users:
            raise click.UsageError(f"--{name} is for {' and '.join(users)}, not for {format}")
        try:
            parsed[name] = option.parse(given[name])
        except DataError as error:
            raise click.UsageError(str(error)) from None
    return parsed
