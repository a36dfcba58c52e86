"""Templates as the command line names them: a file, or a ready-made one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from dovetail.features import Template
from dovetail.features.template_file import is_template_file, ready_made, template_from_file

DEFAULT = "default"  # the name of what is used if nothing is said
Function = TypeVar("Function", bound=Callable[..., Any])


def template_options(function: Function) -> Function:
    """The options that tell which features to make."""
    for what in ("table", "lexicon"):
        function = click.option(
            f"--{what}",
            f"{what}s",
            multiple=True,
            metavar="NAME=FILE",
            help=f"A {what} that the template uses; may be given several times.",
        )(function)
    return click.option(
        "--template",
        metavar="FILE|NAME",
        help="Features: a template file (of Dovetail, CRF++ or Wapiti), or a ready-made set.",
    )(function)


def load_template(
    given: str | None,
    columns: Sequence[str],
    label: str | None,
    lexicons: Sequence[str],
    tables: Sequence[str],
) -> Template | None:
    """The template that the options name, or None for the one that suits the data.

    ``columns`` are all those of the data, in order.
    """
    if given is None or given == DEFAULT:
        if lexicons or tables:
            raise click.UsageError("--lexicon and --table belong to a template: give --template")
        return None
    files = dict(map(named_file, lexicons)), dict(map(named_file, tables))
    if is_template_file(given):
        return template_from_file(given, columns, *files, _option)
    return ready_made(given, [name for name in columns if name != label], *files)


def _option(kind: str, name: str) -> str:
    return f"--{kind} {name}=FILE"


def named_file(given: str) -> tuple[str, str]:
    """The name and the file of a lexicon or a table."""
    name, equals, path = given.partition("=")
    if not (name and equals and path):
        raise click.UsageError(f"--lexicon and --table take NAME=FILE, not '{given}'")
    return name, path
