"""What the rows of a template are made of: columns, attributes of their values, offsets."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["labels", "transitions", "both"]
FARTHEST = 100  # offsets beyond this are refused: surely a slip
BIAS = "bias"
PLAIN_NAME = r"@?[^\W\d]\w*"  # of a column, in a template's text; others are in quotes


@dataclass(frozen=True)
class Call:
    """One step from a value to an attribute of it: ``lower``, ``suffix(3)``."""

    name: str
    arguments: tuple[int | str, ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return (
            f"{self.name}({', '.join(json.dumps(a, ensure_ascii=False) for a in self.arguments)})"
        )


@dataclass(frozen=True)
class Attribute:
    """A column and what is taken of its values."""

    column: str
    calls: tuple[Call, ...] = ()

    def __str__(self) -> str:
        return ".".join([quoted(self.column), *map(str, self.calls)])


@dataclass(frozen=True)
class Part:
    """An attribute of the token ``offset`` places further on."""

    attribute: Attribute
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.attribute}[{self.offset}]" if self.offset else str(self.attribute)


@dataclass(frozen=True)
class Row:
    """A conjunction of parts: one feature for each combination of their values.

    Rows of one name share their features. ``value`` multiplies the values of the parts.
    """

    parts: tuple[Part, ...]
    name: str
    value: float = 1.0
    on: Role = "labels"


def quoted(name: str) -> str:
    """A column's name as a template's text has it: in quotes where it is no plain word."""
    plain = re.fullmatch(PLAIN_NAME, name) and name != BIAS
    return name if plain else json.dumps(name, ensure_ascii=False)
