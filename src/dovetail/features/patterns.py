"""What depends on several tokens in a row: times, dates, and the side of a word.

Each token is written as one letter for what it could be a piece of, so that a sequence becomes a
line of letters, and a regular expression finds the whole in the line. Tokens may be large
(``3:30-4:30``, ``Oct.``, ``10/12/94``) or small (``3``, ``:``, ``30``, ``p``, ``.``, ``m``).

Dashes and slashes between numbers, twelve hours and months in English: the times and dates are
those of English mail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from dovetail.features.matching import matcher

Items = tuple[str, ...]
NOTHING = " "


@dataclass(frozen=True)
class Pattern:
    """How tokens become letters, and what is found in a line of them."""

    letter: Callable[[str], str]
    find: Callable[[str], Iterator[tuple[int, Items]]]

    def items(self, lines: Iterable[str]) -> list[Items]:
        """What is found at each token of lines of letters, one line a sequence."""
        out: list[Items] = []
        for line in lines:
            here: list[Items] = [()] * len(line)
            for place, items in self.find(line):
                here[place] = items
            out += here
        return out


@cache
def side_pattern(pattern: str) -> Pattern:
    """The sides of the first token that a regular expression matches."""
    value = matcher(pattern)
    return Pattern(lambda text: "x" if value.matches(text) else NOTHING, _sides)


@cache
def time_pattern(_: str = "") -> Pattern:
    """Times of day."""
    whole = re.compile(_TIMES)
    return Pattern(_letters(_TIME_LETTERS), lambda line: _find_times(whole, line))


@cache
def date_pattern(_: str = "") -> Pattern:
    """Dates."""
    whole = re.compile(_DATES)
    return Pattern(_letters(_DATE_LETTERS), lambda line: _find_dates(whole, line))


def _sides(line: str) -> Iterator[tuple[int, Items]]:
    first = line.find("x")
    if first >= 0:
        for place in range(len(line)):
            if place != first:
                yield place, ("before" if place < first else "after",)


def _letters(kinds: dict[str, str]) -> Callable[[str], str]:
    """From a token to the letter of the first kind that it is of."""
    any_kind = re.compile("|".join(f"({kind})" for kind in kinds.values()))
    letters = tuple(kinds)

    def letter(token: str) -> str:
        found = any_kind.fullmatch(token)
        return letters[found.lastindex - 1] if found and found.lastindex else NOTHING

    return letter


# Times

_HOUR = "(?:[01]?[0-9]|2[0-4])"
_MERIDIAN = r"(?i:[ap]\.?m\.?)"
_ONE = f"{_HOUR}(?:[:.][0-5][0-9])?"

_TIME_LETTERS = {
    "R": f"(?=.*(?::|(?i:m))){_ONE}{_MERIDIAN}?[-–]{_ONE}{_MERIDIAN}?",  # 3:30-4:30
    "T": f"{_ONE}{_MERIDIAN}",  # 3pm
    "p": f"[0-5][0-9](?:{_MERIDIAN}|(?i:noon))",  # the end of 3:30pm
    "C": f"{_HOUR}:[0-5][0-9](?::[0-5][0-9])?",  # 3:30
    "c": rf"{_HOUR}\.[0-5][0-9]",  # 3.30, a time only beside another piece of one
    "h": "[0-9]",
    "b": "[01][0-9]|2[0-4]",  # an hour or minutes
    "m": "[2-5][0-9]",
    "P": r"(?i:[ap]\.m)",  # whose full stop may be a token of its own
    "A": _MERIDIAN,
    "a": r"(?i:[ap]\.?)",
    "M": r"(?i:m\.?)",
    "N": "(?i:noon|midnight)",
    "O": "(?i:o['’]clock)",
    "o": "(?i:o)",
    "q": "['’]",
    "k": "(?i:clock)",
    ":": ":",
    ".": r"\.",
    "-": "-{1,3}|[‐–—−]",
    "t": "(?i:to|until|till)",
}

_CLOCK = "(?:C|[hb]:[bm])"
_HALF = r"(?:A|P(?:\.(?=[-t]))?|a\.?M\.?)"
_WHOLE = f"(?:T|[hb]:[pT]|(?:{_CLOCK}|[hb])?N|{_CLOCK}{_HALF}?|[chb]{_HALF}|[hb](?:O|oqk))"
_TIMES = f"({_WHOLE}|[chb])[-t]({_WHOLE})|({_WHOLE})[-t]({_WHOLE}|[chb])|({_WHOLE})|(R)"


def _find_times(whole: re.Pattern[str], line: str) -> Iterator[tuple[int, Items]]:
    for found in whole.finditer(line):
        for group in range(1, whole.groups + 1):
            start, end = found.span(group)
            if start < 0:
                continue
            within = found[0] == "R"
            dashes: Items = ("dash before",) if within or line[start - 1 : start] == "-" else ()
            if within or line[end : end + 1] == "-":
                dashes += ("dash after",)
            for place in range(start, end):
                yield place, ("B" if place == start else "I", *dashes)


# Dates

_FULL_MONTHS = (
    "(?i:january|february|april|june|july|august|september|october|november|december)"
    "|M(?:ay|AY|arch|ARCH)"
)
_SHORT_MONTHS = (
    "(?:J(?:an|AN|un|UN|ul|UL)|F(?:eb|EB)|M(?:ar|AR)|A(?:pr|PR|ug|UG)"
    r"|S(?:ept?|EPT?)|O(?:ct|CT)|N(?:ov|OV)|D(?:ec|EC))\.?"
)
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = "(?:(?:1[89]|20)[0-9][0-9])"

_DATE_LETTERS = {
    "W": "(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)",
    "w": (
        "(?:M(?:on|ON)|T(?:ues?|UES?|hu(?:rs?)?|HU(?:RS?)?)|W(?:eds?|EDS?)|F(?:ri|RI)"
        r"|S(?:at|AT|un|UN))\.?"
    ),
    "J": _FULL_MONTHS,
    "j": _SHORT_MONTHS,
    "D": (
        f"{_DAY}/{_DAY}/(?:{_YEAR}|[0-9][0-9])|{_DAY}[-.]{_DAY}[-.](?:{_YEAR}|[0-9][0-9])"
        f"|{_YEAR}-{_DAY}-{_DAY}|{_DAY}-(?:{_FULL_MONTHS}|{_SHORT_MONTHS})-(?:{_YEAR}|[0-9][0-9])"
        f"|(?!1/[234]$|2/3$|3/4$){_DAY}/{_DAY}"  # 10/12, but not a fraction
    ),
    "d": "[1-9]",
    "e": "0[1-9]|[12][0-9]|3[01]",  # a day or a year
    "y": "[0-9][0-9]",
    "Y": _YEAR,
    "o": f"{_DAY}(?i:st|nd|rd|th)",
    "s": "(?i:st|nd|rd|th)",
    "Q": "['’][0-9][0-9]",
    "q": "['’]",
    "T": "(?i:the)",
    "O": "(?i:of)",
    "-": "[-‐–]",
    "/": "/",
    ",": ",",
    ".": r"\.",
}

_WEEKDAY = r"(?:W|w\.?)"
_MONTH = r"(?:J|j\.?)"
_DAY_LETTERS = "(?:[de]s?|o)"
_YEAR_LETTERS = "(?:,?(?:Y|Q|q[ey]))?"
_DAY_AND_MONTH = (
    f"(?:{_MONTH}{_DAY_LETTERS}(?:-{_DAY_LETTERS})?{_YEAR_LETTERS}"  # Oct. 12-14, 1994
    f"|{_DAY_LETTERS}O?{_MONTH}{_YEAR_LETTERS}"  # 12th of October
    f"|[de]-{_MONTH}-(?:Y|[ey])"  # 12-Oct-94
    "|[de]/[de]/(?:Y|[ey])|Y-[de]-[de]|D)"
)
_DATES = f"{_WEEKDAY}(?:,?T?(?:{_DAY_AND_MONTH}|[de]/[de]|os?))?|{_DAY_AND_MONTH}|{_MONTH},?Y"


def _find_dates(whole: re.Pattern[str], line: str) -> Iterator[tuple[int, Items]]:
    for found in whole.finditer(line):
        for place in range(found.start(), found.end()):
            yield place, ("B" if place == found.start() else "I",)
