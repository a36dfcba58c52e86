"""The text of a template, read back into the expressions that print it.

One expression a line; ``#`` begins a comment::

    line      = [STRING ":"] union ["@" role]
    union     = product ("|" product)*
    product   = factor ("&" factor)*
    factor    = [NUMBER "*"] atom
    atom      = ("bias" | attribute | "(" union ")" | "pairs(" union ["," INT] ")")
                ["[" INT [".." INT] "]"]
    attribute = (NAME | STRING) ("." NAME ["(" [argument ("," argument)*] ")"])*
    argument  = INT | STRING

A STRING is written as in JSON. A STRING before a colon names the line's features. A role is
``labels``, ``transitions`` or ``both``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn, cast

from dovetail.errors import DataError
from dovetail.features.attributes import BIAS, PLAIN_NAME, Role
from dovetail.features.columns import CALLS, column
from dovetail.features.expressions import Expression, Pairs, Product, Union, bias

TOKENS = re.compile(
    rf"""(?P<blank>\s+|\#.*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<name>{PLAIN_NAME})
    |(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<sign>\.\.|[][().,:&|*@])""",
    re.VERBOSE | re.DOTALL,
)


def parse_template(
    text: str, source: str = "the template", *, first: int = 1
) -> tuple[Expression, ...]:
    """The expressions that a template's text describes; messages name ``source``, and lines from
    the number of the ``first`` on.

    >>> [str(e) for e in parse_template("word.lower[-1..1]  # neighbours")]
    ['word.lower[-1..1]']
    >>> parse_template("word.lower & pos.suffix(three)", "news.template")
    Traceback (most recent call last):
    dovetail.errors.DataError: news.template, line 1, column 25: found 'three', expected a whole \
number or a string in double quotes
    """
    expressions = []
    for number, line in enumerate(text.split("\n"), start=first):
        parser = _LineParser(line, f"{source}, line {number}")
        if not parser.at_end:
            expressions.append(parser.line())
    return tuple(expressions)


class Token(NamedTuple):
    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return f"'{self.text}'" if self.text else "the end of the line"


class _LineParser:
    """Recursive descent: a method for each rule of the grammar."""

    def __init__(self, text: str, place: str) -> None:
        self.place = place
        self.tokens = list(self._tokens(text))
        self.position = 0

    def _tokens(self, text: str) -> Iterator[Token]:
        start = 0
        while start < len(text):
            found = TOKENS.match(text, start)
            if not found:
                here = Token("unknown", text[start], start + 1)
                if here.text == '"':
                    self._fail(here, "the string that begins here has no closing quote")
                self._fail(here, f"found {here}, which is no part of a template")
            if found.lastgroup != "blank":
                yield Token(str(found.lastgroup), found[0], start + 1)
            start = found.end()
        yield Token("end", "", len(text) + 1)

    @property
    def at_end(self) -> bool:
        return self._next.kind == "end"

    def line(self) -> Expression:
        name = None
        if self._next.kind == "string" and self.tokens[1].text == ":":
            name = self._string()
            self._take(":")
        try:
            expression = self._union()
        except RecursionError:
            self._fail(self.tokens[0], "the brackets of this line are nested too deeply")
        if name is not None:
            expression = expression.named(name)
        if self._accept("@"):
            role = self._advance()
            with self._at(role):
                expression = expression.on(cast(Role, role.text))
        if not self.at_end:
            self._expected("'&', '|', '@' with a role, or the end of the line")
        return expression

    def _union(self) -> Expression:
        members = [self._product()]
        while self._accept("|"):
            members.append(self._product())
        return Union(tuple(members)) if len(members) > 1 else members[0]

    def _product(self) -> Expression:
        factors = [self._factor()]
        while self._accept("&"):
            factors.append(self._factor())
        return Product(tuple(factors)) if len(factors) > 1 else factors[0]

    def _factor(self) -> Expression:
        if self._next.kind != "number":
            return self._atom()
        number = self._advance()
        self._take("*")
        atom = self._atom()
        with self._at(number):
            return float(number.text) * atom

    def _atom(self) -> Expression:
        expression = self._unshifted()
        bracket = self._next
        if not self._accept("["):
            return expression
        first = last = self._whole_number()
        if self._accept(".."):
            last = self._whole_number()
        self._take("]", "']'" if last != first else "'..' or ']'")
        with self._at(bracket):
            return expression.window(first, last)

    def _unshifted(self) -> Expression:
        token = self._next
        if self._accept("("):
            expression = self._union()
            self._take(")", "'&', '|' or ')'")
            return expression
        if token.kind == "name" and token.text == "pairs" and self._following.text == "(":
            return self._pairs()
        if token.kind == "name" and token.text == BIAS:
            self._advance()
            return bias
        if token.kind not in ("name", "string"):
            self._expected("a column, 'pairs(' or '('")
        return self._attribute()

    def _pairs(self) -> Expression:
        self._advance()
        self._take("(")
        inner, offset, place = self._union(), 0, self._next
        if self._accept(","):
            place, offset = self._next, self._whole_number()
        self._take(")", "'&', '|', ',' or ')'")
        with self._at(place):
            return Pairs(inner, offset)

    def _attribute(self) -> Expression:
        made = column(self._string() if self._next.kind == "string" else self._advance().text)
        while self._accept("."):
            name = self._next
            if name.kind != "name":
                self._expected("the name of an attribute")
            self._advance()
            place, arguments = self._next, []
            if self._accept("("):
                place = self._next
                arguments = self._arguments()
            with self._at(place if arguments and name.text in CALLS else name):
                made = made.call(name.text, *arguments)
        return made

    def _arguments(self) -> list[int | str]:
        arguments: list[int | str] = []
        while not self._accept(")"):
            if arguments:
                self._take(",", "',' or ')'")
            if self._next.kind == "string":
                arguments.append(self._string())
            else:
                arguments.append(self._whole_number("a whole number or a string in double quotes"))
        return arguments

    # Single tokens

    @property
    def _next(self) -> Token:
        return self.tokens[self.position]

    @property
    def _following(self) -> Token:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def _advance(self) -> Token:
        token = self._next
        self.position += not self.at_end
        return token

    def _accept(self, sign: str) -> bool:
        found = self._next.kind == "sign" and self._next.text == sign
        self.position += found
        return found

    def _take(self, sign: str, expected: str = "") -> None:
        if not self._accept(sign):
            self._expected(expected or f"'{sign}'")

    def _whole_number(self, expected: str = "a whole number") -> int:
        try:
            number = int(self._next.text) if self._next.kind == "number" else None
        except ValueError:
            number = None
        if number is None:
            self._expected(expected)
        self._advance()
        return number

    def _string(self) -> str:
        token = self._advance()
        try:
            return str(json.loads(token.text, strict=False))
        except json.JSONDecodeError:
            self._fail(token, f"in the string {token.text} a backslash has to be written twice")

    # Messages

    def _expected(self, what: str) -> NoReturn:
        self._fail(self._next, f"found {self._next}, expected {what}")

    def _fail(self, token: Token, message: str) -> NoReturn:
        raise DataError(f"{self.place}, column {token.column}: {message}") from None

    @contextmanager
    def _at(self, token: Token) -> Iterator[None]:
        try:
            yield
        except DataError as error:
            self._fail(token, str(error))
