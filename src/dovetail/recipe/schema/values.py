"""Types of values: whether a value is of the type, and what the type is called in a message."""

from __future__ import annotations

import sys
from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

LARGEST = sys.float_info.max  # whole numbers in TOML may be beyond it


class ValueType(Protocol):
    """What the value of a key may be."""

    @property
    def words(self) -> str:
        """What to give, as the end of a sentence."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Whether a value is of this type."""


@dataclass(frozen=True)
class Integer:
    """A whole number, of so many bits at most; in TOML, as in Python, true is none."""

    minimum: int
    bits: int | None = None

    @property
    def words(self) -> str:
        """The range in words."""
        end = "" if self.bits is None else f" and below 2^{self.bits}"
        return f"a whole number of at least {self.minimum}{end}"

    def accepts(self, value: Any) -> bool:
        """Whether it is a whole number of the range."""
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return self.minimum <= value and (self.bits is None or value < 2**self.bits)


@dataclass(frozen=True)
class Number:
    """A finite number of at least ``minimum``, or strictly between ``above`` and ``below``."""

    minimum: float | None = None
    above: float = -inf
    below: float = inf

    @property
    def words(self) -> str:
        """The range in words."""
        if self.minimum is not None:
            return f"a number of at least {self.minimum:g}"
        return f"a number above {self.above:g}" + (
            f" and below {self.below:g}" if self.below < inf else ""
        )

    def accepts(self, value: Any) -> bool:
        """Whether it is a number of the range."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        if not abs(value) <= LARGEST:
            return False
        return (self.minimum is None or self.minimum <= value) and self.above < value < self.below


@dataclass(frozen=True)
class AutoOr:
    """A number, or the word ``auto``."""

    number: Number

    @property
    def words(self) -> str:
        """Both in words."""
        return f"auto or {self.number.words}"

    def accepts(self, value: Any) -> bool:
        """Whether it is one of both."""
        return value == "auto" or self.number.accepts(value)


@dataclass(frozen=True)
class Choice:
    """One of a few names."""

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        """The names."""
        return f"one of {', '.join(self.names)}"

    def accepts(self, value: Any) -> bool:
        """Whether it is one of the names."""
        return value in self.names


@dataclass(frozen=True)
class Flag:
    """True or false."""

    words: str = "true or false"

    def accepts(self, value: Any) -> bool:
        """Whether it is one of both."""
        return isinstance(value, bool)


@dataclass(frozen=True)
class Text:
    """A string, which is not empty unless ``may_be_empty``."""

    words: str = "a text"
    may_be_empty: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is such a string."""
        return isinstance(value, str) and (self.may_be_empty or bool(value))


@dataclass(frozen=True)
class ColumnName:
    """The name of a column."""

    words: str = "the name of a column, without blanks"

    def accepts(self, value: Any) -> bool:
        """Whether a column can have this name."""
        if not isinstance(value, str) or not value or value.startswith("@"):
            return False
        return not any(map(str.isspace, value))


@dataclass(frozen=True)
class ListOf:
    """A list of values of one type, of at least one unless ``may_be_empty``."""

    words: str
    item: ValueType
    may_be_empty: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether it is such a list."""
        if not isinstance(value, list) or not (value or self.may_be_empty):
            return False
        return all(map(self.item.accepts, value))


@dataclass(frozen=True)
class TableOf:
    """Names with a value of one type each."""

    words: str
    item: ValueType

    def accepts(self, value: Any) -> bool:
        """Whether it is such a table."""
        return isinstance(value, dict) and all(map(self.item.accepts, value.values()))


@dataclass(frozen=True)
class OneOrMore:
    """A value, or a list of such values."""

    words: str
    item: ValueType

    def accepts(self, value: Any) -> bool:
        """Whether it is one of them, or such a list."""
        return self.item.accepts(value) or ListOf(self.words, self.item).accepts(value)


@dataclass(frozen=True)
class Tables:
    """The tables that a heading in brackets begins; what is in them has keys of its own."""

    heading: str

    @property
    def words(self) -> str:
        """The heading."""
        return f"a list of tables, {self.heading}" if self._several else f"a table, {self.heading}"

    def accepts(self, value: Any) -> bool:
        """Whether it is one table, or several."""
        return isinstance(value, list if self._several else dict)

    @property
    def _several(self) -> bool:
        return self.heading.startswith("[[")


FILE = Text("a file name")
FILES = OneOrMore("a file name or a list of them", FILE)
NAMED_FILES = TableOf('a table of file names, such as { people = "people.txt" }', FILE)
COLUMNS = ListOf("a list of column names", Text(may_be_empty=True))
COUNT = Integer(1)
SEED = Integer(0, bits=63)
NOT_NEGATIVE = Number(minimum=0)
POSITIVE = Number(above=0)
SHARE = Number(above=0, below=1)
