"""Keys of a table, and the check of a table against them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from dovetail.base.parameters import REQUIRED, parameters_of
from dovetail.errors import DataError
from dovetail.recipe.schema.values import ValueType


@dataclass(frozen=True)
class Key:
    """A key: what its value may be, what it is in one sentence, and its value where it is not
    given, None where there is none."""

    type: ValueType
    summary: str
    default: Any = None

    @property
    def is_required(self) -> bool:
        """Whether a table without it makes no sense."""
        return self.default is REQUIRED


Table = Mapping[str, Key]


def describe_parameters(
    signature: Mapping[str, Any], keys: Table, renamed: Mapping[str, str] | None = None
) -> dict[str, Key]:
    """Keys that are parameters, with the defaults that a signature has; ``renamed`` are those with
    another name there."""
    names = renamed or {}
    return {
        name: replace(key, default=signature[names.get(name, name)]) for name, key in keys.items()
    }


def parameters_for(estimator: type, keys: Table, **renamed: str) -> dict[str, Key]:
    """Keys that are parameters of an estimator, with its defaults.

    >>> from dovetail import Tagger
    >>> from dovetail.recipe.schema.values import POSITIVE
    >>> parameters_for(Tagger, {"tolerance": Key(POSITIVE, "When to stop.")})["tolerance"].default
    0.001
    """
    return describe_parameters(parameters_of(estimator), keys, renamed)


def check_table(
    values: Mapping[str, Any], keys: Table, where: str, others: Mapping[str, Table] | None = None
) -> None:
    """Refuse keys that there are not, and values that are not of the type of their keys.

    ``others`` are tables that a key which is out of place may belong to.
    """
    for name, value in values.items():
        if name not in keys:
            homes = [home for home, table in (others or {}).items() if name in table]
            if homes:
                belongs = " or ".join(homes)
                raise DataError(f"{where}: there is no key '{name}' here; it belongs to {belongs}")
            raise DataError(f"{where}: there is no key '{name}'; {suggest(name, keys)}")
        check_value(name, value, keys[name].type, where)


def check_value(name: str, value: Any, type: ValueType, where: str) -> None:
    """Refuse a value of another type."""
    if not type.accepts(value):
        raise DataError(f"{where}: {name} is {_show(value)}; give {type.words}")


def suggest(name: str, known: Collection[str]) -> str:
    """What somebody who wrote a wrong name may have meant.

    >>> suggest("wieght", ["name", "weight"]), suggest("colour", ["name", "weight"])
    ("did you mean 'weight'?", 'there are name, weight')
    """
    close = get_close_matches(name, known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known)}"


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else repr(value)
