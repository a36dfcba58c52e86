"""Attributes that are not computed natively: once for each distinct value, or along a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from dovetail import _native
from dovetail.errors import DataError
from dovetail.features.attributes import Attribute, Call
from dovetail.features.columns import CALLS
from dovetail.features.lexicons import Lexicon
from dovetail.features.patterns import NOTHING
from dovetail.features.tables import Table

REMEMBERED = 200_000  # values whose attributes are kept from one call to the next


class DerivedColumn(NamedTuple):
    """A column, and the one it is made of: by native steps, or by the last call of an attribute."""

    name: str
    source: str
    steps: tuple[tuple[str, int], ...] = ()
    made: Attribute | None = None


class Derived:
    """Adds to columns those that a template's attributes need."""

    def __init__(
        self,
        attributes: Iterable[Attribute],
        lexicons: Mapping[str, Lexicon],
        tables: Mapping[str, Table],
        functions: Mapping[Attribute, Callable[[str], Any]],
    ) -> None:
        self._lexicons, self._tables, self._functions = lexicons, tables, functions
        self._columns = list(dict.fromkeys(_columns_for(attributes)))
        self._known: dict[Attribute, dict[str, list[str]]] = {}

    def add_to(self, columns: _native.Columns) -> None:
        """Each is called by the text of its attribute."""
        for column in self._columns:
            if columns.has(column.name):
                continue
            if column.made is None:
                columns.add_attribute(column.name, column.source, list(column.steps))
            else:
                self._add(columns, column.name, column.made, column.source)

    def _add(self, columns: _native.Columns, name: str, made: Attribute, source: str) -> None:
        call = made.calls[-1]
        if call.name == "padded":
            columns.pad(name, source)
        elif call.name == "lexicon":
            columns.match(name, source, self._lexicons[str(call.arguments[0])].native)
        elif (along := CALLS[call.name].along) is not None:
            pattern = along(_argument(call))
            letters = [pattern.letter(text) for text in columns.distinct(source)]
            spelled = [letters[code] if code >= 0 else NOTHING for code in columns.codes(source)]
            lines = ["".join(spelled[a:b]) for a, b in pairwise(columns.bounds)]
            columns.add_items(name, pattern.items(lines))
        else:
            known = self._known.setdefault(made, {})  # threads share it: use only what `get` gave
            function = self._function(made, call)
            found = {}
            for text in columns.distinct(source):
                strings = known.get(text)
                if strings is None:
                    known[text] = strings = _as_strings(function(text), name)
                found[text] = strings
            try:
                columns.translate(name, source, found)
            except _native.ItemError as error:
                raise DataError(f"what {name} gave is no text: {error}") from None
            if len(known) > REMEMBERED:
                known.clear()

    def _function(self, made: Attribute, call: Call) -> Callable[[str], Any]:
        if call.name == "apply":
            return self._functions[made]
        if call.name == "table":
            return self._tables[str(call.arguments[0])]
        of_value = CALLS[call.name].of_value
        assert of_value is not None, call.name
        return of_value(_argument(call))


def _columns_for(attributes: Iterable[Attribute]) -> Iterator[DerivedColumn]:
    for attribute in attributes:
        source = attribute.column
        steps: list[tuple[str, int]] = []
        for k, call in enumerate(attribute.calls[: native_from(attribute)]):
            made = Attribute(attribute.column, attribute.calls[: k + 1])
            if CALLS[call.name].by == "native":
                steps.append(step_of(call))
                continue
            if steps:
                before = str(Attribute(made.column, made.calls[:-1]))
                yield DerivedColumn(before, source, tuple(steps))
                source, steps = before, []
            yield DerivedColumn(str(made), source, made=made)
            source = str(made)


def _argument(call: Call) -> str:
    return str(call.arguments[0]) if call.arguments else ""


def native_from(attribute: Attribute) -> int:
    """From which call on only native ones follow."""
    return max(
        (k + 1 for k, c in enumerate(attribute.calls) if CALLS[c.name].by != "native"),
        default=0,
    )


def step_of(call: Call) -> tuple[str, int]:
    """A native call as the kernel takes it."""
    return call.name, int(call.arguments[0]) if call.arguments else 0


def _as_strings(found: Any, name: str) -> list[str]:
    if found is None:
        return []
    strings = [found]
    if not isinstance(found, str):
        strings = list(found) if isinstance(found, Iterable) else [found]
    if not all(isinstance(s, str) for s in strings):
        raise DataError(f"{name} gave {found!r}; return a string, several strings or None")
    return strings
