"""Lines of CRF++ and Wapiti templates expanded to strings, token by token, as both programs do it;
and the rows that Dovetail makes of them, computed as plainly."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator

from dovetail.features.attributes import Part, Row

Sequence = list[tuple[str, ...]]  # of tokens, each with a value for every column
MACRO = re.compile(r'%(\w)\[([-+ \d]+),(\d+)(?:,"((?:\\.|[^"])*)")?\]')


def expanded(line: str, tokens: Sequence, at: int, *, wapiti: bool = False) -> str:
    """What a line stands for at a token."""

    def value(macro: re.Match[str]) -> str:
        command, column, regexp = macro[1], int(macro[3]), macro[4]
        place = at + int(macro[2])
        if 0 <= place < len(tokens):
            text = tokens[place][column]
        else:
            text = outside(-place if place < 0 else len(tokens) - 1 - place, wapiti)
        if command in "tT":
            text = "false" if wapiti_search(regexp, text) is None else "true"
        elif command in "mM":
            text = wapiti_search(regexp, text) or ""
        return text.lower() if command.isupper() else text

    start = line[0].lower() if wapiti else line[0]
    return start + MACRO.sub(value, line[1:])


def outside(distance: int, wapiti: bool) -> str:
    """The value before (positive) or after (negative distance) a sequence."""
    number = str(abs(distance)) if abs(distance) <= 4 else "#"
    return f"{'_x' if wapiti else '_B'}{'-' if distance > 0 else '+'}{number}"


def wapiti_search(regexp: str, text: str) -> str | None:
    """The first match of one of Wapiti's regular expressions, by trying everything in order."""
    body = regexp.removeprefix("^")
    items = re.findall(r"(\\.|.)([*?]?)", body)
    ending = bool(items) and items[-1] == ("$", "")
    items = items[: len(items) - ending]
    for start in range(1 if body != regexp else len(text) + 1):
        for end in _ends(items, text, start):
            if not ending or end == len(text):
                return text[start:end]
    return None


def _ends(items: list[tuple[str, str]], text: str, at: int) -> Iterator[int]:
    if not items:
        yield at
        return
    (item, repeated), *rest = items
    fits = at < len(text) and _fits(item, text[at])
    if repeated == "*":
        yield from _ends(rest, text, at)
        if fits:
            yield from _ends(items, text, at + 1)
        return
    if fits:
        yield from _ends(rest, text, at + 1)
    if repeated == "?":
        yield from _ends(rest, text, at)


def _fits(item: str, character: str) -> bool:
    members = {
        "a": string.ascii_letters,
        "d": string.digits,
        "l": string.ascii_lowercase,
        "p": string.punctuation,
        "s": string.whitespace,
        "u": string.ascii_uppercase,
        "w": string.ascii_letters + string.digits,
    }
    if item == ".":
        return True
    if item[0] != "\\" or item[1].lower() not in members:
        return character == item[-1]
    return (character in members[item[1].lower()]) != item[1].isupper()


def row_feature(row: Row, names: list[str], tokens: Sequence, at: int) -> tuple[str, ...]:
    """The feature of a row at a token: its name and the values of its parts."""
    return (row.name, *(_part_value(part, names, tokens, at + part.offset) for part in row.parts))


def _part_value(part: Part, names: list[str], tokens: Sequence, place: int) -> str:
    calls = part.attribute.calls
    padded = any(call.name == "padded" for call in calls)
    if 0 <= place < len(tokens):
        text = tokens[place][names.index(part.attribute.column)]
    elif padded:
        text = outside(-place if place < 0 else len(tokens) - 1 - place, wapiti=True)
    else:
        return f"⟨{place}⟩" if place < 0 else f"⟨+{place - len(tokens) + 1}⟩"
    for call in calls:
        text = CALLS[call.name](text, *map(str, call.arguments))
    return text


def _find(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    return found[0] if found else ""


CALLS: dict[str, Callable[..., str]] = {
    "padded": lambda text: text,
    "lower": str.lower,
    "test": lambda text, pattern: "true" if re.search(pattern, text) else "false",
    "find": _find,
}
