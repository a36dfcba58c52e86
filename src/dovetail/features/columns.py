"""Columns and attributes of their values, as expressions.

`CALLS` has every attribute with how it is computed; the methods of `Column` are how users write it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from dovetail.errors import DataError
from dovetail.features.attributes import FARTHEST, Attribute, Call, Part
from dovetail.features.expressions import ATOM, Expression, Union
from dovetail.features.matching import matcher
from dovetail.features.patterns import Pattern, date_pattern, side_pattern, time_pattern

LONGEST = 100  # attributes of attributes
Function = Callable[[Any], Any]


class Computation(NamedTuple):
    """What an attribute takes in brackets, and how it is computed.

    ``by`` is who computes it: native code (the step of that name); Python by ``of_value``, from the
    argument to a function that is called once a distinct value; Python by ``along``, from the
    argument to a pattern that is looked for along the sequence; or the template, by what it was
    given beside its expressions.
    """

    takes: Literal["nothing in brackets", "a number", "a string", "a regular expression"]
    by: Literal["native", "template", "python"] = "native"
    of_value: Callable[[str], Callable[[str], str | None]] | None = None
    along: Callable[[str], Pattern] | None = None

    def check(self, name: str, arguments: tuple[int | str, ...]) -> None:
        """Refuse arguments that the attribute of that name does not take."""
        kind = {"nothing in brackets": (), "a number": (int,)}.get(self.takes, (str,))
        if tuple(type(a) for a in arguments) != kind:
            wanted = "a string" if kind == (str,) else self.takes
            raise DataError(f"'{name}' takes {wanted}")
        if self.takes == "a number" and not 1 <= int(arguments[0]) <= FARTHEST:
            raise DataError(f"'{name}' takes a number from 1 to {FARTHEST}, not {arguments[0]}")
        if self.takes == "a regular expression":
            try:
                re.compile(str(arguments[0]))
            except (re.error, OverflowError, RecursionError) as error:
                raise DataError(f"'{arguments[0]}' is no regular expression: {error}") from None


def _match(pattern: str) -> Callable[[str], str | None]:
    whole = matcher(pattern)
    return lambda text: "yes" if whole.matches(text) else None


def _test(pattern: str) -> Callable[[str], str | None]:
    part = matcher(pattern)
    return lambda text: "false" if part.find(text) is None else "true"


def _find(pattern: str) -> Callable[[str], str | None]:
    part = matcher(pattern)
    return lambda text: part.find(text) or ""


CALLS: dict[str, Computation] = {
    "lower": Computation("nothing in brackets"),
    "shape": Computation("nothing in brackets"),
    "short_shape": Computation("nothing in brackets"),
    "digits": Computation("nothing in brackets"),
    "length": Computation("nothing in brackets"),
    "prefix": Computation("a number"),
    "suffix": Computation("a number"),
    "chars": Computation("a number"),
    "match": Computation("a regular expression", "python", of_value=_match),
    "test": Computation("a regular expression", "python", of_value=_test),
    "find": Computation("a regular expression", "python", of_value=_find),
    "time": Computation("nothing in brackets", "python", along=time_pattern),
    "date": Computation("nothing in brackets", "python", along=date_pattern),
    "side": Computation("a regular expression", "python", along=side_pattern),
    "padded": Computation("nothing in brackets", "template"),
    "lexicon": Computation("a string", "template"),
    "table": Computation("a string", "template"),
    "apply": Computation("a string", "template"),
}


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
        if len(calls) > LONGEST:
            raise DataError(f"there are more than {LONGEST} attributes one after another")
        return Column(Attribute(self.attribute.column, calls), self._functions)

    def call(self, name: str, *arguments: int | str) -> Column:
        """An attribute by its name, as a template's text has it."""
        if name not in CALLS:
            raise DataError(f"there is no attribute '{name}'; there are {', '.join(sorted(CALLS))}")
        CALLS[name].check(name, arguments)
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
