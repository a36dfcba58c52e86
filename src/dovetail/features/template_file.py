"""Templates as people name them: a file, or a ready-made set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dovetail.errors import DataError
from dovetail.features.crfpp import looks_like_crfpp, parse_crfpp
from dovetail.features.lexicons import Lexicon
from dovetail.features.sets import NAMES, chinese, named
from dovetail.features.syntax import parse_template
from dovetail.features.tables import Table
from dovetail.features.template import Template
from dovetail.io.files import PathLike, open_text

Files = Mapping[str, PathLike]
Remedy = Callable[[str, str], str]
"""How the user can give a lexicon or table (its kind and name) that a template asks for."""


def is_template_file(given: str) -> bool:
    """Whether a name is that of a file; else it should be that of a ready-made set."""
    return os.path.exists(given) and not os.path.isdir(given)


def template_from_file(
    path: str, columns: Sequence[str], lexicons: Files, tables: Files, remedy: Remedy
) -> Template:
    """The template in a file, of our own syntax or that of CRF++ and Wapiti.

    ``columns`` are all those that it may read; those of CRF++ are numbered in this order.
    """
    with open_text(path) as file:
        text = file.read()
    known = {name: Lexicon.from_file(source) for name, source in lexicons.items()}
    if looks_like_crfpp(text):
        if lexicons or tables:
            raise DataError(
                f"{path} is a template of CRF++ or Wapiti: it has no use for lexicons or tables"
            )
        template = Template(*parse_crfpp(text, list(columns), path))
    else:
        named = {name: Table.from_file(source) for name, source in tables.items()}
        _check_names(text, path, {"lexicon": known, "table": named}, columns, remedy)
        template = Template.parse(text, path, lexicons=known, tables=named)
    if not template.rows:
        raise DataError(f"{path} holds no features")
    return template


def ready_made(name: str, columns: Sequence[str], lexicons: Files, tables: Files) -> Template:
    """The feature set of that name over columns, with what it reads from files."""
    if name not in NAMES:
        raise DataError(
            f"there is neither a template file nor a feature set '{name}'; "
            f"the sets are {', '.join(NAMES)}"
        )
    known = {name: Lexicon.from_file(source) for name, source in lexicons.items()}
    if name == "chinese" and columns and tables.keys() == {"radicals"}:
        return chinese(columns[0], Table.from_file(tables["radicals"]))
    if tables:
        raise DataError(f"the feature set '{name}' uses no such table; chinese has one, radicals")
    return named(name, columns, known)


def _check_names(
    text: str,
    source: str,
    given: Mapping[str, Mapping[str, Any]],
    columns: Sequence[str],
    remedy: Remedy,
) -> None:
    """Refuse names of columns, lexicons and tables that there are not, with their places."""
    for number, line in enumerate(text.splitlines(), start=1):
        for expression in parse_template(line, source, first=number):
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
                        else f"give {remedy(kind, name)}"
                    )
                    place = line.find(name if kind == "column" else f'"{name}"') + 1
                    raise DataError(
                        f"{source}, line {number}, column {place}: "
                        f"there is no {kind} '{name}'; {hint}"
                    )
