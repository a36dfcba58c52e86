"""The command line. Each command is loaded only when it is called, so that help comes at once."""

from __future__ import annotations

import io
import sys

import click

from dovetail import __version__
from dovetail.cli.group import CommandGroup

__all__ = ["main"]


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="dovetail %(version)s")
def main() -> None:
    """Train sequence taggers, tag text with them, and see how good they are."""
    # Whatever the locale, the files of this trade are UTF-8.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
