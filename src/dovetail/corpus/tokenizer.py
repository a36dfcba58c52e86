"""The places of tokens in plain text: mail, addresses, citations, news, and Chinese.

One regular expression finds them, its alternatives tried in order. Repetition is possessive, atomic
or bounded wherever a match may fail, so that time grows with the length of the text alone. Groups
are repeated in atomic groups: Python before 3.11.3 goes astray where they are possessive.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Abbreviations that keep their full stop: also in capitals, as they stand, and before a number.
_TITLES = (
    "Dr Drs Prof Profs Mr Mrs Ms Messrs Mme Rev Hon Gen Gov Sen Sens Rep Reps Sgt Col Capt Cmdr Lt "
    "Maj Adm Pres Jr Sr St Mt Ft Inc Ltd Co Corp Bros Assn Dept Univ Ave Blvd Rd Bldg Apt Ste "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri"
)
_SHORTENED = "Assoc Inst Calif Fla Conn Ariz Colo Mass Mich Minn Okla Tenn Wis etc al vs cf ed eds"
_BEFORE_NUMBERS = "no nos vol vols p pp fig figs eq eqs ch sec art rm ext tel"
_DOTTED = "Ph.D D.Phil M.Sc B.Sc M.D M.A B.A M.S B.S U.S U.K U.N E.U D.C P.O"

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_JOINERS = "\u200c\u200d"
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f"


def tokenize(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text start and end, in characters.

    Every character that is not white space lies in one token. Words keep their hyphens, initials
    and usual abbreviations their full stop; English clitics stand alone, as in the Penn Treebank.
    A time, a date, a number, an e-mail address, a URL and a run of dots or dashes are one token; a
    range of numbers and a time with "pm" are several, and the last full stop of "p.m." is left out.
    A Chinese character is a token of its own, and so is any other sign.

    >>> text = "Prof. J. Smith's talk isn't at 3:30pm in Köln-Deutz."
    >>> [text[start:end] for start, end in tokenize(text)]
    ['Prof.', 'J.', 'Smith', "'s", 'talk', 'is', "n't", 'at', '3:30', 'pm', 'in', 'Köln-Deutz', '.']
    """
    return [match.span() for match in _token().finditer(text)]


@cache
def _token() -> re.Pattern[str]:
    # Python's \w lacks the combining marks, without which the words of many scripts fall apart.
    mark = f"(?![\x00-\u02ff])[{_marks()}{_JOINERS}]"
    letter, alnum = rf"[^\W\d{_HAN}]", rf"[^\W{_HAN}]"
    rest = f"{alnum}*+(?>(?:(?>(?:{mark})+){alnum}*+)*)"
    half_day = r"(?i:[ap]\.?m)\b"
    clock = rf"\d{{1,2}}(?::\d\d|\s?{half_day})"
    numbers = [
        # a time; a date; a telephone number or ZIP code; a DOI; others, and words begun by one
        r"\d{1,2}:\d\d(?>(?::\d\d)?)(?!\d)",
        r"\d{4}-\d\d-\d\d(?!\d)|\d{1,2}-[A-Za-z]{3}-\d\d(?>(?:\d\d)?)(?!\d)",
        r"(?:\d{1,3}-)?(?:\d{3}-)?\d{3}-\d{4}(?![\d-])|\d{5}-\d{4}(?!\d)",
        r"10\.\d{4,9}/[^\s\"<>]*[^\s\"<>.,;:()\[\]]",
        r"\d++(?>(?:[./]\d++|,\d{3}(?!\d))+)",
        rf"\d++(?>(?:(?!{half_day}){letter}{rest})?)"
        rf"(?>(?:-(?!(?i:noon|midnight)\b){letter}{rest})*)",
    ]
    words = [
        # n't and the word before it; a.m. or pm; a URL; an e-mail address
        r"[nN]['’][tT]\b",
        rf"(?={letter}++['’][tT]\b){letter}+?(?=[nN]['’])",
        rf"[ap]\.m\b|(?:(?<=\d)|(?<=\d\s)){half_day}",
        r"(?:[A-Za-z][A-Za-z\d+.-]{1,9}://|(?i:www\.))[^\s<>\"]*[^\s<>\".,;:!?'’()\[\]{}]",
        rf"{letter}[\w.+%-]{{0,63}}+@{alnum}++(?>(?:[.-]{alnum}++)*)",
        # an abbreviation or initial; AT&T; words with dots, and with hyphens and apostrophes
        rf"(?=[A-Za-z]{{1,7}}+\.)(?:{_abbreviations()}|[{_UPPER}]\.(?![ \t]*(?:\n|\Z)))",
        rf"[{_UPPER}]++&[{_UPPER}]++",
        rf"{letter}{rest}(?>(?:\.(?:[a-z]|(?<=[A-Z\d]\.)[A-Z]){rest})+)",
        rf"{letter}{rest}"
        rf"(?>(?:['’](?!(?i:s|d|m|t|ll|re|ve)\b){letter}{rest}|[-‐‑](?!{clock}){alnum}{rest})*)",
    ]
    # The first two alternatives take most words and numbers, and take them at once.
    return re.compile(
        rf"(?=\S)(?:[^\W\d_{_HAN}]++(?=[\s,;!?()\[\]\"]|:(?!/)|\Z)"
        r"|\d++(?=[\s;!?()\[\]\"]|,(?!\d)|\Z)"
        r"|[,:;()\[\]{}<>\"@$%&]|([-.=*~#+!?^|/\\])(?>\1*)"
        rf"|[{_HAN}](?>(?:{mark})*)"
        rf"|(?=\d)(?:{'|'.join(numbers)})"
        rf"|(?={letter})(?:{'|'.join(words)})"
        r"|['’](?>(?:(?<=\S['’])(?i:s|d|m|ll|re|ve)\b)?)"
        rf"|(?>(?:{mark})+){rest}|\S)"
    )


def _abbreviations() -> str:
    """What keeps its full stop, as alternatives."""
    capitals = [form for word in _TITLES.split() for form in (word, word.upper())]
    dotted = [re.escape(word) for word in _DOTTED.split()]
    before = "|".join(_BEFORE_NUMBERS.split())
    always = "|".join(sorted([*capitals, *_SHORTENED.split(), *dotted]))
    acronym = r"(?:[A-Za-z]\.){3,}|(?:[a-z]\.){2,}"
    return rf"{acronym}|(?:{always})\.|(?i:{before})\.(?=\s?\d)"


@cache
def _marks() -> str:
    """All combining marks, as ranges for a regular expression."""
    ranges: list[str] = []
    first = None
    for point in range(0x300, 0x20000):
        is_mark = unicodedata.category(chr(point)).startswith("M")
        if is_mark and first is None:
            first = point
        elif not is_mark and first is not None:
            ranges.append(f"{chr(first)}-{chr(point - 1)}")
            first = None
    return "".join(ranges) + "\U000e0100-\U000e01ef"
