"""Templates as the command line names them: a file, or a ready-made one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from dovetail.errors import DataError
from dovetail.features import Lexicon, Table, Template
from dovetail.features.syntax import parse_template
from dovetail.files import open_text

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
    known = {name: Lexicon.from_file(path) for name, path in map(_named_file, lexicons)}
    if not os.path.exists(given) or os.path.isdir(given):
        return _ready_made(given, tuple(name for name in columns if name != label), known, tables)
    from dovetail.features.crfpp import looks_like_crfpp, parse_crfpp

    with open_text(given) as file:
        text = file.read()
    if looks_like_crfpp(text):
        if lexicons or tables:
            raise DataError(
                f"{given} is a template of CRF++ or Wapiti: it has no use for --lexicon or --table"
            )
        template = Template(*parse_crfpp(text, list(columns), given))
    else:
        named = {name: Table.from_file(path) for name, path in map(_named_file, tables)}
        _check_names(text, given, {"lexicon": known, "table": named}, columns)
        template = Template.parse(text, given, lexicons=known, tables=named)
    if not template.rows:
        raise DataError(f"{given} holds no features")
    return template


def _check_names(
    text: str, source: str, given: Mapping[str, Mapping[str, Any]], columns: Sequence[str]
) -> None:
    """Refuse names of columns, lexicons and tables that there are not, with their places."""
    for number, line in enumerate(text.splitlines(), start=1):
        for expression in parse_template("\n" * (number - 1) + line, source):
            for part in (part for row in expression.rows for part in row.parts):
                named = [("column", part.attribute.column, columns)]
                named += [
                    (call.name, str(call.arguments[0]), list(given[call.name]))
                    for call in part.attribute.calls
                    if call.name in given
                ]
                for kind, name, known in named:
                    if name in known or name.startswith("@"):
                        continue
                    hint = (
                        f"the data has {', '.join(known)}"
                        if kind == "column"
                        else f"give --{kind} {name}=FILE"
                    )
                    place = line.find(name if kind == "column" else f'"{name}"') + 1
                    raise DataError(
                        f"{source}, line {number}, column {place}: "
                        f"there is no {kind} '{name}'; {hint}"
                    )


def _ready_made(
    name: str, columns: Sequence[str], lexicons: Mapping[str, Lexicon], tables: Sequence[str]
) -> Template:
    from dovetail.features.sets import NAMES, chinese, named

    if name not in NAMES:
        raise DataError(
            f"there is neither a template file nor a feature set '{name}'; "
            f"the sets are {', '.join(NAMES)}"
        )
    files = dict(map(_named_file, tables))
    if name == "chinese" and columns and files.keys() == {"radicals"}:
        return chinese(columns[0], Table.from_file(files["radicals"]))
    if tables:
        raise DataError(f"the feature set '{name}' uses no such table; chinese has one, radicals")
    return named(name, columns, lexicons)


def _named_file(given: str) -> tuple[str, str]:
    name, equals, path = given.partition("=")
    if not (name and equals and path):
        raise click.UsageError(f"--lexicon and --table take NAME=FILE, not '{given}'")
    return name, path
