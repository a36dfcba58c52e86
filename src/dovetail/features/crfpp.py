r"""Template files of CRF++ and Wapiti, read into expressions that make the same features.

Both programs replace the macros of a line by values of tokens and take the resulting string for a
feature. So lines that differ in their macros only share their features. Here a row is named by its
line with ``%`` for each macro, and rows of one name share their features.

Wapiti's regular expressions are translated to Python's: its ``*`` takes as few characters as it
can, its classes (``\a \d \l \p \s \u \w``, and their complements in upper case) know ASCII only,
and there are no groups and no alternatives. Where Wapiti sees bytes, we see characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import NamedTuple, NoReturn

from dovetail.errors import DataError
from dovetail.features.attributes import FARTHEST, Role
from dovetail.features.columns import column
from dovetail.features.expressions import Expression, bias

ROLES: dict[str, Role] = {"u": "labels", "b": "transitions", "*": "both"}
CLASSES = {"a": "A-Za-z", "d": "0-9", "l": "a-z", "p": r"!-/:-@\[-`{-~", "s": r" \t-\r",
           "u": "A-Z", "w": "A-Za-z0-9"}  # fmt: skip
DISTINCT_OUTSIDE = 5  # places beyond an end that have distinct values in Wapiti


class Dialect(NamedTuple):
    name: str
    kinds: str  # what a line may begin with
    macro: re.Pattern[str]
    macros: str  # how a message describes them
    farthest: int


CRFPP = Dialect(
    "CRF++",
    "UB",
    re.compile(r"%(?P<command>x)\[(?P<offset>-?\d{1,9}),(?P<column>\d{1,9})\]", re.ASCII),
    "a macro such as %x[-1,0]",
    4,
)
WAPITI = Dialect(
    "Wapiti",
    "UuBb*",
    re.compile(
        r"%(?P<command>[xXtTmM])\[(?P<base>[@*]?)\s*(?P<offset>[+-]?(?:0|[1-9]\d{0,8})),"
        r'\s*\+?(?P<column>\d{1,9})(?:,"(?P<regexp>(?:[^"\\]|\\.)*)")?\]',
        re.ASCII,
    ),
    'a macro such as %x[-1,0], %t[0,0,"regexp"] or %m[0,0,"regexp"]',
    FARTHEST,
)
ONLY_WAPITI = re.compile(r"^(?:[ub*]|[^#\n]*%(?:[XtTmM]|x\[[^]\n]{0,40}[@*+ \t]))", re.MULTILINE)
FOREIGN = re.compile(r'^(?:\*|[UuBb][^"#\n]*%|[UuBb]\w*:\s*$)', re.MULTILINE)


class Macro(NamedTuple):
    command: str
    column: str
    offset: int
    regexp: str | None  # in Python's syntax

    def needs_padding(self) -> bool:
        """Does it distinguish places outside the sequence differently from our templates?"""
        return abs(self.offset) > DISTINCT_OUTSIDE or (self.regexp is not None and self.offset != 0)

    def expression(self, padded: bool) -> Expression:
        made = column(self.column)
        if padded and self.offset:
            made = made.padded
        if self.regexp is not None:
            made = made.test(self.regexp) if self.command in "tT" else made.find(self.regexp)
        if self.command in "XM":
            made = made.lower
        return made[self.offset]


class Line(NamedTuple):
    skeleton: str
    macros: list[Macro]

    def expression(self, padded: bool) -> Expression | None:
        role = ROLES[self.skeleton[0].lower()]
        if self.macros:
            parts = reduce(and_, (macro.expression(padded) for macro in self.macros))
            return parts.named(self.skeleton).on(role)
        # On transitions a constant adds nothing to the weights that they have anyway.
        return None if role == "transitions" else bias.named(self.skeleton)


def looks_like_crfpp(text: str) -> bool:
    """Is this a template file of CRF++ or Wapiti, rather than one of ours?

    >>> looks_like_crfpp("U00:%x[-1,0]"), looks_like_crfpp("word.lower[-1]")
    (True, False)
    """
    return FOREIGN.search(text) is not None


def parse_crfpp(
    text: str, columns: Sequence[str], source: str = "the template"
) -> tuple[Expression, ...]:
    """The expressions of a template file; ``%x[row,n]`` means the column named ``columns[n]``.

    A file is read by Wapiti's rules if it has something that only Wapiti knows.

    >>> for expression in parse_crfpp("U05:%x[-1,0]/%x[0,1]\\nB01:%x[0,0]\\nB", ["word", "pos"]):
    ...     print(expression)
    "U05:%/%": word[-1] & pos
    "B01:%": word @ transitions
    """
    dialect = WAPITI if ONLY_WAPITI.search(text) else CRFPP
    lines = []
    for number, whole in enumerate(text.split("\n"), start=1):
        line = whole.removesuffix("\r")
        if dialect is WAPITI or line.startswith("#"):
            line = line.partition("#")[0].rstrip()
        if line.strip():
            lines.append(_LineReader(line, f"{source}, line {number}", dialect, columns).line())
    padded = {x.skeleton for x in lines if any(macro.needs_padding() for macro in x.macros)}
    made = (line.expression(line.skeleton in padded) for line in lines)
    return tuple(expression for expression in made if expression is not None)


class _LineReader:
    def __init__(self, text: str, place: str, dialect: Dialect, columns: Sequence[str]) -> None:
        self.text, self.place, self.dialect, self.columns = text, place, dialect, columns

    def line(self) -> Line:
        kind = self.text[0]
        if kind not in self.dialect.kinds:
            kinds = " or ".join(self.dialect.kinds)
            self._fail(
                0, f"found '{kind}', expected a line of {self.dialect.name}, with {kinds} first"
            )
        if self.dialect is WAPITI:
            kind = kind.lower()
        skeleton, macros, done = kind, [], 1
        while (start := self.text.find("%", done)) >= 0:
            found = self.dialect.macro.match(self.text, start)
            if not found:
                said = self.text[start : start + 40].split("]")[0]
                self._fail(start, f"found '{said}', expected {self.dialect.macros}")
            skeleton += self.text[done:start] + "%"
            macros.append(self._macro(found))
            done = found.end()
        return Line(skeleton + self.text[done:], macros)

    def _macro(self, found: re.Match[str]) -> Macro:
        start, farthest = found.start(), self.dialect.farthest
        command, offset, number = found["command"], int(found["offset"]), int(found["column"])
        base, regexp = found.groupdict().get("base"), found.groupdict().get("regexp")
        if base:
            kind = "absolute" if base == "@" else "indirect"
            self._fail(start, f"{found[0]} has an {kind} offset; only relative ones are supported")
        if abs(offset) > farthest:
            self._fail(
                start,
                f"{found[0]} has the offset {offset}; in a template of {self.dialect.name} offsets "
                f"lie from -{farthest} to {farthest}",
            )
        if number >= len(self.columns):
            have = ", ".join(f"{k} {name}" for k, name in enumerate(self.columns))
            self._fail(
                start,
                f"{found[0]} means column {number}, but there are {len(self.columns)} columns, "
                f"counted from 0: {have}",
            )
        if (regexp is None) != (command in "xX"):
            needs = "needs a" if regexp is None else "takes no"
            self._fail(start, f"in {found[0]}, %{command} {needs} regular expression")
        if regexp is not None:
            regexp = self._python_regexp(regexp, found.start("regexp"))
        return Macro(command, self.columns[number], offset, regexp)

    def _python_regexp(self, regexp: str, start: int) -> str:
        body = regexp.removeprefix("^")
        made = regexp[: len(regexp) - len(body)]
        start += len(made)
        for item in re.finditer(r"(\\.|.)([*?]?)", body):
            one, repeated = item.groups()
            if one in ("*", "?"):
                self._fail(
                    start + item.start(),
                    f"'{one}' in the regular expression \"{regexp}\" follows nothing that it could "
                    f"repeat; write \\{one} for the character",
                )
            at_end = item[0] == "$" and item.end() == len(body)
            made += r"\Z" if at_end else _python_item(one)
            made += {"": "", "?": "?", "*": "*?"}[repeated]
        return made

    def _fail(self, at: int, message: str) -> NoReturn:
        raise DataError(f"{self.place}, column {at + 1}: {message}")


def _python_item(item: str) -> str:
    if item == ".":
        return "."
    character = item[-1]
    if item[0] == "\\" and character.lower() in CLASSES:
        complement = "^" if character.isupper() else ""
        return f"[{complement}{CLASSES[character.lower()]}]"
    return re.escape(character)
