"""The command line. Each command is loaded only when it is called, so that help comes at once."""

from __future__ import annotations

import io
import sys

import click

from dovetail import __version__
from dovetail.cli.group import CommandGroup, Failure
from dovetail.errors import NativeCodeError

__all__ = ["main"]


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    try:
        from dovetail import _native
    except NativeCodeError as error:
        click.echo(f"dovetail {__version__}")
        raise Failure(str(error)) from None
    click.echo(f"dovetail {__version__} (CPU level {_native.LEVEL})")
    context.exit()


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version, and the CPU level that is in use.",
)
def main() -> None:
    """Train sequence taggers, tag text with them, and see how good they are."""
    # Whatever the locale, the files of this trade are UTF-8.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
