"""Options that give the parameters of estimators: choices, ranges and help are those of the schema.

An option that is not given has no value: the estimator has its own default, which the help shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dovetail.recipe.schema.keys import Key
from dovetail.recipe.schema.values import (
    AutoOr,
    Choice,
    ColumnName,
    Flag,
    Integer,
    Number,
    ValueType,
)

Function = TypeVar("Function", bound=Callable[..., Any])
if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # which early versions of click do not let be subscripted


def setting_option(name: str, key: Key, help: str | None = None) -> Callable[[Function], Function]:
    """An option for a key of the schema; ``help`` says otherwise what it is."""
    text = help_with_default(help or key.summary, key.default)
    option = f"--{name.replace('_', '-')}"
    if isinstance(key.type, Flag):
        return click.option(option, is_flag=True, default=None, help=text)
    return click.option(option, type=_click_type(key.type), metavar=_metavar(key.type), help=text)


def setting_options(table: Mapping[str, Key], *names: str) -> Callable[[Function], Function]:
    """An option for each of some keys of a table."""

    def add(function: Function) -> Function:
        for name in reversed(names):
            function = setting_option(name, table[name])(function)
        return function

    return add


def given_settings(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Options with these names that have been given."""
    return {name: options[name] for name in names if options.get(name) is not None}


def help_with_default(text: str, default: Any) -> str:
    """A sentence that ends with the default, if there is one worth telling.

    >>> help_with_default("Rounds of EM at most.", 20), help_with_default("Its name.", None)
    ('Rounds of EM at most (20).', 'Its name.')
    """
    if default is None or isinstance(default, bool):
        return text
    shown = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{text.removesuffix('.')} ({shown})."


class Setting(ParamType):
    """A number of the schema."""

    def __init__(self, type: Integer | Number | AutoOr) -> None:
        self.type = type
        self.name = type.words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, if it is of the range."""
        try:
            number = self._read(value)
        except ValueError:
            number = None
        if not self.type.accepts(number):
            self.fail(f"'{value}' is not {self.type.words}", param, ctx)
        return number

    def _read(self, value: Any) -> Any:
        if isinstance(self.type, Integer):
            return int(value)
        return value if value == "auto" and isinstance(self.type, AutoOr) else float(value)


def _click_type(type: ValueType) -> ParamType | None:
    match type:
        case Choice(names):
            return click.Choice(names)
        case Integer() | Number() | AutoOr():
            return Setting(type)
    return None


def _metavar(type: ValueType) -> str | None:
    match type:
        case Choice():
            return None
        case Integer():
            return "N"
        case Number() | AutoOr():
            return "X"
        case ColumnName():
            return "COLUMN"
    return "NAME"
