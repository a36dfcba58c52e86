"""Columns and attributes of their values, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dovetail.errors import DataError
from dovetail.features.attributes import CALLS, FARTHEST, Attribute, Call, Part, check_pattern
from dovetail.features.expressions import ATOM, Expression, Union

Function = Callable[[Any], Any]


class Column(Expression):
    """A column, or an attribute of it."""

    binding = ATOM

    def __init__(
        self, attribute: Attribute, functions: dict[Attribute, Function] | None = None
    ) -> None:
        self.attribute = attribute
        self._functions = functions or {}

    def functions(self) -> dict[Attribute, Function]:
        return self._functions

    def _products(self) -> Iterable[tuple[tuple[Part, ...], float]]:
        yield (Part(self.attribute),), 1.0

    def __str__(self) -> str:
        return str(self.attribute)

    def _then(self, name: str, *arguments: int | str) -> Column:
        calls = (*self.attribute.calls, Call(name, arguments))
        return Column(Attribute(self.attribute.column, calls), self._functions)

    def call(self, name: str, *arguments: int | str) -> Column:
        """An attribute by its name, as a template's text has it."""
        expected = CALLS.get(name)
        if expected is None:
            raise DataError(f"there is no attribute '{name}'; there are {', '.join(sorted(CALLS))}")
        kinds = tuple(type(a) for a in arguments)
        if kinds != expected:
            wanted = ", ".join("a number" if kind is int else "a string" for kind in expected)
            raise DataError(f"'{name}' takes {wanted or 'nothing in brackets'}")
        if name in ("prefix", "suffix", "chars") and not 1 <= int(arguments[0]) <= FARTHEST:
            raise DataError(f"'{name}' takes a number from 1 to {FARTHEST}, not {arguments[0]}")
        if name in ("match", "test", "find", "side"):
            check_pattern(str(arguments[0]))
        if name == "padded" and self.attribute.calls:
            raise DataError("'padded' comes first, right after the column")
        return self._then(name, *arguments)

    @property
    def lower(self) -> Column:
        """In lower case."""
        return self._then("lower")

    @property
    def shape(self) -> Column:
        """``Xxxxx-dd``: what kind each character is of."""
        return self._then("shape")

    @property
    def short_shape(self) -> Column:
        """``Xx-d``: the shape with runs shortened."""
        return self._then("short_shape")

    @property
    def digits(self) -> Column:
        """With every digit replaced by 0."""
        return self._then("digits")

    @property
    def length(self) -> Column:
        """The number of characters."""
        return self._then("length")

    def prefix(self, n: int) -> Column:
        """The first ``n`` characters; nothing where there are fewer."""
        return self.call("prefix", n)

    def suffix(self, n: int) -> Column:
        """The last ``n`` characters; nothing where there are fewer."""
        return self.call("suffix", n)

    def affixes(self, longest: int) -> Expression:
        """Prefixes and suffixes up to a length."""
        if longest < 1:
            raise DataError(f"affixes are of 1 or more characters, not of {longest}")
        ends = [end for n in range(1, longest + 1) for end in (self.prefix(n), self.suffix(n))]
        return Union(tuple(ends))

    def chars(self, n: int) -> Column:
        """All runs of ``n`` characters, the ends of the value marked."""
        return self.call("chars", n)

    def match(self, pattern: str) -> Column:
        """A feature where a regular expression matches the whole value."""
        return self.call("match", pattern)

    def test(self, pattern: str) -> Column:
        """``true`` or ``false``: is a regular expression found in the value?"""
        return self.call("test", pattern)

    def find(self, pattern: str) -> Column:
        """What a regular expression finds in the value, empty where it finds nothing."""
        return self.call("find", pattern)

    def table(self, name: str) -> Column:
        """What a table has for the value, which the template is given by name."""
        return self.call("table", name)

    @property
    def time(self) -> Column:
        """``B`` and ``I`` where tokens make up a time of day as in English mail; beside these
        ``dash before`` and ``dash after``, as in 3:30 - 4:30.
        """
        return self.call("time")

    @property
    def date(self) -> Column:
        """``B`` and ``I`` where tokens make up a date, as in Wed., Oct. 12, 1994."""
        return self.call("date")

    def side(self, pattern: str) -> Column:
        """``before`` or ``after`` the sequence's first token whose whole value a regular
        expression matches; nothing at that token, or where there is none.
        """
        return self.call("side", pattern)

    @property
    def padded(self) -> Column:
        """As if there were tokens outside the sequence: ``_x-1`` to ``_x-4`` and then ``_x-#``
        before it, ``_x+1`` to ``_x+#`` after it. What follows is taken of these too, as in Wapiti.
        """
        return self.call("padded")

    def lexicon(self, name: str) -> Column:
        """Is the token part of an entry of a lexicon, which the template is given by name?"""
        return self.call("lexicon", name)

    def apply(
        self, function: Callable[[str], str | Iterable[str] | None], name: str = ""
    ) -> Column:
        """A function of your own from a value to an attribute of it, called once a distinct value.

        It may return None for nothing, or several strings. A model cannot hold it: give it again
        to `load`.
        """
        made = self._then("apply", name or getattr(function, "__name__", "function"))
        return Column(made.attribute, {**self._functions, made.attribute: function})


def column(name: str) -> Column:
    """A column of the corpus, to make features of."""
    return Column(Attribute(name))


def per_token(function: Callable[[Any], Iterable[Any]], name: str = "") -> Column:
    """A function of your own, from a sequence of a corpus to what it finds at each token: None, a
    string, or a list of strings and of (string, number) pairs.

    A model cannot hold it: give it again to `load`.
    """
    from dovetail.features.places import PLACES

    attribute = Attribute("@" + (name or getattr(function, "__name__", "function")))
    if attribute.column in PLACES:
        raise DataError(f"{attribute.column} is a built-in column: give the function another name")
    return Column(attribute, {attribute: function})
