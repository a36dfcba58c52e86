"""Regular expressions that take bounded time, whatever the expression and the text.

Python's own engine is fast, but goes back and tries again: ``(a+)+b`` takes it forever. So it is
used only where a bound on what it may try, from the expression and the length of the text, is low.
Beyond that an automaton answers, which looks at each character once with all that may match
(Thompson 1968, with the priorities of Pike), in time that grows with the length. The answers are
the same, except that the two engines may end differently where a repetition can go round without
a character, as in ``(?:a?|b)+``. The automaton has no back-references and no lookaround: an
expression with these is refused where it could take too long.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from dovetail.errors import DataError
from dovetail.limits import limits

QUICK = 1_000_000  # steps that Python's engine may be given
FEW = 8  # repetitions that count as choices rather than as length
LARGEST_PROGRAM = 20_000
CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}
PLACES = {
    ops.AT_BEGINNING: "^",
    ops.AT_BEGINNING_STRING: r"\A",
    ops.AT_END: "$",
    ops.AT_END_STRING: r"\Z",
    ops.AT_BOUNDARY: r"\b",
    ops.AT_NON_BOUNDARY: r"\B",
}
SINGLE = {ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY, ops.CATEGORY}
REPEATS = {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}


class Matcher:
    """A regular expression.

    >>> Matcher("(a+)+b").find("x" + 50 * "a") is None
    True
    >>> Matcher("(a+)+b").find("xaaabaaa")
    'aaab'
    >>> Matcher("[a-z]+").matches("abc"), Matcher("[a-z]+").matches("abc1")
    (True, False)
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled = re.compile(pattern)
        self._tree = parser.parse(pattern)
        self._effort = _effort(self._tree)

    def matches(self, text: str) -> bool:
        """Whether it matches the whole of a text."""
        if self._is_quick(text):
            return self._compiled.fullmatch(text) is not None
        return _run(self._program, text, whole=True, pattern=self.pattern) is not None

    def find(self, text: str) -> str | None:
        """What it matches first in a text, or None."""
        if self._is_quick(text):
            found = self._compiled.search(text)
            return found[0] if found else None
        span = _run(self._program, text, whole=False, pattern=self.pattern)
        return None if span is None else text[span[0] : span[1]]

    def _is_quick(self, text: str) -> bool:
        steps = self._effort.steps(len(text))
        if steps <= QUICK:
            return True
        if self._program is not None:
            return False
        if steps > limits.expression_steps:
            raise _too_long(self.pattern, text)
        return True

    @cached_property
    def _program(self) -> list[Instruction] | None:
        try:
            return _Compiler().compile(self._tree)
        except _NoProgramError:
            return None


@lru_cache(1024)
def matcher(pattern: str) -> Matcher:
    """The matcher of an expression."""
    return Matcher(pattern)


def _too_long(pattern: str, text: str) -> DataError:
    return DataError(
        f"looking for the regular expression '{pattern}' in a value of {len(text):,} characters "
        f"would take too long; {limits.hint('expression_steps')}"
    )


class _Effort(NamedTuple):
    """A bound on the ways to match at one place: ``choices`` times the length to ``degree``; and
    where repetitions are within one another, ``base`` to the length."""

    choices: float = 1.0
    degree: int = 0
    base: float = 1.0

    def __mul__(self, other: Any) -> _Effort:
        choices, degree, base = (
            self.choices * other.choices,
            self.degree + other.degree,
            self.base * other.base,
        )
        return _Effort(min(choices, 1e9), min(degree, 99), min(base, 1e9))

    def steps(self, length: int) -> float:
        try:
            ways: float = self.choices * (length + 1.0) ** self.degree * self.base**length
        except OverflowError:
            return float("inf")
        return ways * (length + 1)


def _effort(tree: Any) -> _Effort:
    total = _Effort()
    for op, value in tree:
        if op is ops.BRANCH:
            parts = [_effort(one) for one in value[1]]
            total *= _Effort(
                sum(part.choices for part in parts),
                max(part.degree for part in parts),
                max(part.base for part in parts),
            )
        elif op is ops.SUBPATTERN:
            total *= _effort(value[-1])
        elif op is ops.ATOMIC_GROUP:
            total *= _effort(value)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            total *= _effort(value[1])
        elif op is ops.GROUPREF_EXISTS:
            for part in value[1:]:
                total *= _effort(part or ())
        elif op in REPEATS:
            total *= _effort_of_repeat(*value)
    return total


def _effort_of_repeat(least: int, most: int, body: Any) -> _Effort:
    inner = _effort(body)
    plain = inner == _Effort() and body.getwidth()[0] > 0
    if most <= 1:
        return inner * _Effort(choices=1.0 if least == most else 2.0)
    if least == most and plain:
        return _Effort()
    if plain:
        return _Effort(choices=most - least + 1.0) if most <= FEW else _Effort(degree=1)
    if most <= FEW:
        total = _Effort(choices=most - least + 1.0)
        for _ in range(int(most)):
            total *= inner
        return total
    return _Effort(base=max(2.0, 1.0 + inner.choices), degree=inner.degree)


# The automaton

CHARACTER, PLACE, SPLIT, LOOP, JUMP, MATCH = range(6)


class Instruction(NamedTuple):
    kind: int
    test: Callable[..., Any] | None = None
    first: int = 0
    second: int = 0


class _NoProgramError(Exception):
    """The expression has what no automaton can do, or is too long for one."""


class _Compiler:
    def __init__(self) -> None:
        self.program: list[Instruction] = []

    def compile(self, tree: Any) -> list[Instruction]:
        self._sequence(tree, tree.state.flags & ~re.DEBUG)
        self._add(Instruction(MATCH))
        return self.program

    def _add(self, instruction: Instruction) -> int:
        if len(self.program) >= LARGEST_PROGRAM:
            raise _NoProgramError
        self.program.append(instruction)
        return len(self.program) - 1

    def _sequence(self, tree: Any, flags: int) -> None:
        for op, value in tree:
            if op in SINGLE:
                self._add(Instruction(CHARACTER, _one_character(_spell(op, value), flags)))
            elif op is ops.AT:
                self._add(Instruction(PLACE, re.compile(PLACES[value], flags).match))
            elif op is ops.SUBPATTERN:
                _, added, removed, inner = value
                self._sequence(inner, _combine(flags, added, removed))
            elif op is ops.BRANCH:
                self._branch(value[1], flags)
            elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
                least, most, inner = value
                self._repeat(least, most, inner, flags, greedy=op is ops.MAX_REPEAT)
            else:
                raise _NoProgramError

    def _branch(self, parts: list[Any], flags: int) -> None:
        ends = []
        for part in parts[:-1]:
            split = self._add(Instruction(SPLIT))
            self._sequence(part, flags)
            ends.append(self._add(Instruction(JUMP)))
            self.program[split] = Instruction(SPLIT, None, split + 1, len(self.program))
        self._sequence(parts[-1], flags)
        for end in ends:
            self.program[end] = Instruction(JUMP, None, len(self.program))

    def _repeat(self, least: int, most: int, body: Any, flags: int, *, greedy: bool) -> None:
        for _ in range(least):
            self._sequence(body, flags)
        if most == ops.MAXREPEAT:
            loop = self._add(Instruction(LOOP))
            self._sequence(body, flags)
            self._add(Instruction(JUMP, None, loop))
            self._set_split(loop, greedy=greedy)
            return
        splits = []
        for _ in range(most - least):
            splits.append(self._add(Instruction(SPLIT)))
            self._sequence(body, flags)
        for split in splits:
            self._set_split(split, greedy=greedy)

    def _set_split(self, split: int, *, greedy: bool) -> None:
        """Into what follows it, or to the end of the program so far."""
        inside, outside = split + 1, len(self.program)
        chosen = (inside, outside) if greedy else (outside, inside)
        self.program[split] = Instruction(self.program[split].kind, None, *chosen)


def _combine(flags: int, added: int, removed: int) -> int:
    """The flags within a group such as ``(?a-i:...)``: of ASCII and Unicode only one holds."""
    kept = flags & ~parser.TYPE_FLAGS if added & parser.TYPE_FLAGS else flags
    return (kept | added) & ~removed


def _spell(op: Any, value: Any) -> str:
    """One character of an expression as text."""
    if op is ops.ANY:
        return "."
    if op is ops.CATEGORY:
        return CATEGORIES[value]
    if op is ops.LITERAL:
        return f"[{_escape(value)}]"
    if op is ops.NOT_LITERAL:
        return f"[^{_escape(value)}]"
    inner = ""
    for kind, one in value:
        if kind is ops.NEGATE:
            inner += "^"
        elif kind is ops.LITERAL:
            inner += _escape(one)
        elif kind is ops.RANGE:
            inner += f"{_escape(one[0])}-{_escape(one[1])}"
        else:
            inner += CATEGORIES[one]
    return f"[{inner}]"


def _escape(code: int) -> str:
    return f"\\U{code:08x}"


def _one_character(spelled: str, flags: int) -> Callable[[str], Any]:
    return lru_cache(4096)(re.compile(spelled, flags).fullmatch)


def _run(
    program: list[Instruction] | None, text: str, *, whole: bool, pattern: str
) -> tuple[int, int] | None:
    """Where it matches: all of the text, or else what Python's engine would find first."""
    assert program is not None
    found: tuple[int, int] | None = None
    threads: list[tuple[int, int]] = []  # instructions, each with where its match began
    left = limits.expression_steps
    for at in range(len(text) + 1):
        starts = threads
        if (not whole or at == 0) and found is None:
            starts = [*threads, (0, at)]
        elif not threads:
            break
        live, ended = _follow(program, starts, text, at, whole=whole)
        left -= len(program) if len(live) > len(program) // 2 else len(live) + len(starts) + 1
        if left < 0:
            raise _too_long(pattern, text)
        found = ended or found
        if at == len(text):
            break
        here = text[at]
        threads = [(n + 1, start) for n, start in live if program[n].test(here)]  # type: ignore[misc]
    return found


def _follow(
    program: list[Instruction],
    starts: list[tuple[int, int]],
    text: str,
    at: int,
    *,
    whole: bool,
) -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
    """From instructions to those that read a character, in order of priority, as far as none of
    higher priority has come to its end."""
    live: list[tuple[int, int]] = []
    seen: set[int] = set()
    stack = starts[::-1]
    while stack:
        number, start = stack.pop()
        kind, test, first, second = program[number]
        if number in seen:
            if kind == LOOP:  # an iteration without a character is the last
                stack.append((max(first, second), start))
            continue
        seen.add(number)
        if kind == CHARACTER:
            live.append((number, start))
        elif kind == JUMP:
            stack.append((first, start))
        elif kind in (SPLIT, LOOP):
            stack += [(second, start), (first, start)]
        elif kind == PLACE:
            if test is not None and test(text, at):
                stack.append((number + 1, start))
        elif not whole or at == len(text):
            return live, (start, at)
    return live, None
