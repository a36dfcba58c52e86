"""Templates as expressions over columns.

An expression stands for a set of features of each token. `column` begins one, attributes of a
value follow by dots, brackets move it to a neighbour, ``&`` conjoins and ``|`` collects:

>>> from dovetail.features import column
>>> word, pos = column("word"), column("pos")
>>> print(word.lower[-1] & pos)
word.lower[-1] & pos
>>> print((word.suffix(3) | pos.window(-1, 1)) & column("ner"))
(word.suffix(3) | pos[-1..1]) & ner

Whatever an expression is made of, it comes down to `Row` objects: each a conjunction of parts, a
part being an attribute of a column at an offset. All work on tokens is done by these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from operator import and_, or_
from typing import Any

from dovetail.errors import DataError
from dovetail.features.attributes import BIAS, FARTHEST, Attribute, Part, Role, Row
from dovetail.limits import limits

Products = Iterable[tuple[tuple[Part, ...], float]]
Functions = dict[Attribute, Callable[[Any], Any]]  # the user's own
UNION, PRODUCT, SHIFT, ATOM = range(4)  # how tightly an expression holds together in text


class Expression:
    """A set of features of each token."""

    binding = UNION

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The conjunctions it comes down to, in order, each once."""
        check_rows(self._count(), self._longest())
        name = self._name()
        return tuple(
            Row(parts, name or " & ".join(map(str, parts)) or BIAS, value, self._role())
            for parts, value in dict.fromkeys(self._products())
        )

    def _products(self) -> Products:
        raise NotImplementedError

    def _count(self) -> int:
        """How many conjunctions it comes down to, known without making them; at most one more than
        the limit."""
        return bounded(sum(member._count() for member in self._inner()) or 1)

    def _longest(self) -> int:
        """How many parts a conjunction has at most."""
        return max((member._longest() for member in self._inner()), default=1)

    def _inner(self) -> tuple[Expression, ...]:
        return ()

    def functions(self) -> Functions:
        """The user's own functions within it."""
        return merge_functions(member.functions() for member in self._inner())

    def _name(self) -> str | None:
        return None

    def _role(self) -> Role:
        return "labels"

    def __and__(self, other: Expression) -> Expression:
        return Product((*_operands(self, Product), *_operands(other, Product)))

    def __or__(self, other: Expression) -> Expression:
        return Union((*_operands(self, Union), *_operands(other, Union)))

    def __getitem__(self, offset: int) -> Expression:
        """The same at the token ``offset`` places further on."""
        return self.window(offset, offset)

    def __rmul__(self, factor: float) -> Expression:
        return Scaled(_operand(self), float(factor))

    def window(self, first: int, last: int | None = None) -> Expression:
        """The same at all tokens from ``first`` to ``last``; ``window(2)`` is from -2 to 2."""
        first, last = (-first, first) if last is None else (first, last)
        return Shift(_operand(self), first, last) if first or last else self

    def ngrams(self, n: int, first: int, last: int) -> Expression:
        """Conjunctions of ``n`` neighbours, from the one that starts at ``first`` to the one that
        ends at ``last``.

        >>> from dovetail.features import column
        >>> print(column("pos").ngrams(2, -1, 1))
        pos[-1] & pos | pos & pos[1]
        """
        starts = range(first, last - n + 2)
        if n < 1 or not starts:
            raise DataError(f"there is no {n}-gram between offsets {first} and {last}")
        return reduce(or_, (reduce(and_, (self[s + k] for k in range(n))) for s in starts))

    def pairs(self, offset: int = 0) -> Expression:
        """All pairs of these features: at one token, or of this one and the one ``offset`` on."""
        return Pairs(_operand(self), offset)

    def named(self, name: str) -> Expression:
        """The same under a name; expressions of one name share their features."""
        return Named(self, name)

    def on(self, role: Role) -> Expression:
        """The same, weighing on labels, on transitions between labels, or on both."""
        if role not in ("labels", "transitions", "both"):
            raise DataError(f"features are on labels, transitions or both, not on '{role}'")
        return WithRole(self, role)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return f"<{self}>"


class Bias(Expression):
    """One feature that all tokens have."""

    binding = ATOM

    def _products(self) -> Products:
        yield (), 1.0

    def __str__(self) -> str:
        return BIAS


bias = Bias()


@dataclass(frozen=True, eq=False, repr=False)
class Wrapper(Expression):
    """An expression made of one other."""

    inner: Expression

    def _inner(self) -> tuple[Expression, ...]:
        return (self.inner,)


@dataclass(frozen=True, eq=False, repr=False)
class Shift(Wrapper):
    first: int
    last: int
    binding = SHIFT

    def __post_init__(self) -> None:
        _check_offsets(self.first, self.last)

    def _products(self) -> Products:
        for offset in range(self.first, self.last + 1):
            for parts, value in self.inner._products():
                yield tuple(Part(p.attribute, p.offset + offset) for p in parts), value

    def _count(self) -> int:
        return bounded((self.last - self.first + 1) * self.inner._count())

    def __str__(self) -> str:
        places = f"{self.first}" if self.first == self.last else f"{self.first}..{self.last}"
        return f"{_parenthesize(self.inner, ATOM)}[{places}]"


@dataclass(frozen=True, eq=False, repr=False)
class Product(Expression):
    factors: tuple[Expression, ...]
    binding = PRODUCT

    def _inner(self) -> tuple[Expression, ...]:
        return self.factors

    def _products(self) -> Products:
        for chosen in product(*(list(factor._products()) for factor in self.factors)):
            value = 1.0
            for _, factor in chosen:
                value *= factor
            yield tuple(part for parts, _ in chosen for part in parts), value

    def _count(self) -> int:
        total = 1
        for factor in self.factors:
            total = bounded(total * factor._count())
        return total

    def _longest(self) -> int:
        return bounded(sum(factor._longest() for factor in self.factors))

    def __str__(self) -> str:
        return " & ".join(_parenthesize(factor, SHIFT) for factor in self.factors)


@dataclass(frozen=True, eq=False, repr=False)
class Union(Expression):
    members: tuple[Expression, ...]

    def _inner(self) -> tuple[Expression, ...]:
        return self.members

    def _products(self) -> Products:
        for member in self.members:
            yield from member._products()

    def __str__(self) -> str:
        return " | ".join(_parenthesize(m, PRODUCT) for m in self.members)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Wrapper):
    offset: int
    binding = ATOM

    def __post_init__(self) -> None:
        _check_offsets(self.offset, self.offset)

    def _products(self) -> Products:
        here = list(self.inner._products())
        there = list(self.inner[self.offset]._products())
        for i, (parts, value) in enumerate(here):
            for others, other in there if self.offset else here[i + 1 :]:
                yield (*parts, *others), value * other

    def _count(self) -> int:
        n = self.inner._count()
        return bounded(n * n if self.offset else n * (n - 1) // 2)

    def _longest(self) -> int:
        return bounded(2 * self.inner._longest())

    def __str__(self) -> str:
        return f"pairs({self.inner}{f', {self.offset}' if self.offset else ''})"


@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Wrapper):
    factor: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.factor):
            raise DataError(f"features are multiplied by a finite number, not by {self.factor}")

    def _products(self) -> Products:
        return ((parts, self.factor * value) for parts, value in self.inner._products())

    def __str__(self) -> str:
        short = f"{self.factor:g}"
        factor = short if float(short) == self.factor else repr(self.factor)
        return f"{factor} * {_parenthesize(self.inner, SHIFT)}"


@dataclass(frozen=True, eq=False, repr=False)
class Named(Wrapper):
    name: str

    def _products(self) -> Products:
        return self.inner._products()

    def _name(self) -> str | None:
        return self.name

    def _role(self) -> Role:
        return self.inner._role()

    def __str__(self) -> str:
        return _line(self)


@dataclass(frozen=True, eq=False, repr=False)
class WithRole(Wrapper):
    role: Role

    def _products(self) -> Products:
        return self.inner._products()

    def _name(self) -> str | None:
        return self.inner._name()

    def _role(self) -> Role:
        return self.role

    def __str__(self) -> str:
        return _line(self)


def bounded(count: int) -> int:
    """A number of rows, or the first beyond the limit."""
    return min(count, limits.template_rows + 1)


PARTS = 10  # of a row on average, in the longest template


def check_rows(count: int, longest: int = 1) -> None:
    """Refuse a template that would take forever."""
    if max(count, count * longest // PARTS) > limits.template_rows:
        raise DataError(
            f"the template comes to more than {limits.template_rows:,} rows; "
            f"{limits.hint('template_rows')}"
        )


def conjoin(expression: Expression, other: Expression) -> Expression:
    """A conjunction that also takes expressions with a name or a role: the name grows, the role
    stays."""
    if isinstance(expression, Named):
        return Named(conjoin(expression.inner, other), f"{expression.name} & {other}")
    if isinstance(expression, WithRole):
        return WithRole(conjoin(expression.inner, other), expression.role)
    return expression & other


def merge_functions(parts: Iterable[Functions]) -> Functions:
    """Functions of several expressions, no two of which may share a name."""
    out: Functions = {}
    for functions in parts:
        for attribute, function in functions.items():
            if out.setdefault(attribute, function) is not function:
                raise DataError(f"two functions are called {attribute}: give each a name")
    return out


def _operands(expression: Expression, kind: type[Product] | type[Union]) -> tuple[Expression, ...]:
    _operand(expression)
    if isinstance(expression, Product) and kind is Product:
        return expression.factors
    if isinstance(expression, Union) and kind is Union:
        return expression.members
    return (expression,)


def _parenthesize(expression: Expression, binding: int) -> str:
    return str(expression) if expression.binding >= binding else f"({expression})"


def _operand(expression: Expression) -> Expression:
    if not isinstance(expression, Expression):
        raise DataError(f"{expression!r} is no expression; begin one with column(name)")
    if isinstance(expression, Named | WithRole):
        raise DataError(
            f"'{expression}' has its name or role already and cannot become part of another "
            "expression; combine first, then say .named() or .on()"
        )
    return expression


def _line(expression: Expression) -> str:
    name, role, inner = expression._name(), expression._role(), expression
    while isinstance(inner, Named | WithRole):
        inner = inner.inner
    start = f"{json.dumps(name, ensure_ascii=False)}: " if name else ""
    return f"{start}{inner}{f' @ {role}' if role != 'labels' else ''}"


def _check_offsets(first: int, last: int) -> None:
    for offset in (first, last):
        if abs(offset) > FARTHEST:
            raise DataError(f"the offset {offset} does not lie from -{FARTHEST} to {FARTHEST}")
    if first > last:
        raise DataError(f"offsets run from low to high, not from {first} to {last}")
