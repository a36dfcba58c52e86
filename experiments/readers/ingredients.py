"""Lines of ingredients from recipes, with their parts: quantity, unit, name, preparation, ...

The files have no labels of tokens. Each column holds the words of a part in their order, some of
them normalised: units and some nouns in the singular, fractions as ``#1$2``, ranges as ``2-3``. So
the words of all columns are sought in the line. Lines of which a word is not found are left out.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from dovetail import Corpus, DataError
from dovetail.corpus import labels_from_spans, spans
from experiments.common.files import open_text

PARTS = ("name", "quantity", "unit", "size", "preparation", "comment", "purpose")
N_LINES = 3000  # labelled ones that are read, from the first
_NUMBER = r"\d+(?:[.,/⁄]\d+)*"
_FRACTION = "[¼-¾⅐-⅞]"
_KINDS = rf"{_NUMBER}|{_FRACTION}|[^\W\d_]+(?:['’-][^\W\d_]+)*"
_TOKEN = re.compile(rf"{_KINDS}|\S")
_PIECE = re.compile(rf"#\d+\$\d+|{_KINDS}")
_SIGN = re.compile(r"[\W_]+|to|or|and|x")

Columns = Sequence[tuple[str, Sequence[str]]]
State = tuple[tuple[int, ...], str]
"""How many words of each part are found, and the last part."""
Way = tuple[int, list[str]]
"""Changes from part to part so far, and the part of each token."""


def read_ingredients(path: Path, n_lines: int = N_LINES) -> Corpus:
    """The labelled lines of a file, as sequences with the columns ``word`` and ``label`` (IOB2)."""
    words, labels = [], []
    with open_text(path, newline="") as file:
        rows = csv.DictReader(file)
        if not {"input", *PARTS} <= set(rows.fieldnames or ()):
            raise DataError(f"{path} does not have the columns input, {', '.join(PARTS)}")
        for row in islice((row for row in rows if row["name"]), n_lines):
            tokens = _TOKEN.findall(row["input"])
            found = parts_of(tokens, row)
            if found is not None:
                words.append(tokens)
                labels.append(found)
    if not words:
        raise DataError(f"{path} has no labelled line")
    return Corpus.from_lists({"word": words, "label": labels})


def parts_of(tokens: Sequence[str], row: Mapping[str, str | None]) -> list[str] | None:
    """Labels of the tokens of a line, None if a word of a part is not among them.

    >>> row = {"name": "fresh tarragon", "quantity": "10 #1$2", "unit": "g oz", "comment": "leaf"}
    >>> parts_of(["10", "g", "/", "½", "oz", "fresh", "tarragon", ",", "leaves"], row)[:4]
    ['B-quantity', 'B-unit', 'O', 'B-quantity']
    """
    columns = [(part, _pieces(row.get(part) or "")) for part in PARTS]
    best = _aligned([_normal(token) for token in tokens], columns)
    return None if best is None else _labels(tokens, best)


def _pieces(value: str) -> list[str]:
    """The words and numbers of a part, without signs."""
    return [_normal(piece.strip("#").replace("$", "/")) for piece in _PIECE.findall(value)]


def _normal(token: str) -> str:
    """In small letters, fractions written with a stroke."""
    return unicodedata.normalize("NFKC", token).replace("⁄", "/").replace("’", "'").lower()


def _same(token: str, word: str) -> bool:
    """Whether a token is a word of a part, or its plural."""
    if token == word:
        return True
    if not (token.endswith("s") and word[:1] == token[:1]):
        return False
    plurals = (word + "s", word + "es", word[:-1] + "ies", word[:-1] + "ves", word[:-2] + "ves")
    return token in plurals


def _aligned(tokens: Sequence[str], columns: Columns) -> list[str] | None:
    """The part of each token, or nothing, so that the words of each part are found in their order:
    of all such ways the one with the fewest changes from part to part."""
    ways: dict[State, Way] = {((0,) * len(columns), ""): (0, [])}
    for token in tokens:
        after: dict[State, Way] = {}
        for state, way in _steps(token, columns, ways):
            if state not in after or way < after[state]:
                after[state] = way
        ways = after
    goal = tuple(len(words) for _, words in columns)
    ends = [way for (found, _), way in ways.items() if found == goal]
    return min(ends)[1] if ends else None


def _steps(token: str, columns: Columns, ways: Mapping[State, Way]) -> Iterator[tuple[State, Way]]:
    """All that a token may be, after all ways of those before it."""
    passed_over = 0 if _SIGN.fullmatch(token) else 1
    for (found, last), (changes, parts) in ways.items():
        yield (found, last), (changes + passed_over, [*parts, ""])
        for k, (part, words) in enumerate(columns):
            if found[k] < len(words) and _same(token, words[found[k]]):
                more = (*found[:k], found[k] + 1, *found[k + 1 :])
                yield (more, part), (changes + (part != last), [*parts, part])


def _labels(tokens: Sequence[str], parts: Sequence[str]) -> list[str]:
    """IOB2 labels; a sign or a small word between two tokens of one part belongs to it."""
    filled = list(parts)
    for k in range(1, len(parts) - 1):
        between = parts[k - 1] == parts[k + 1] != ""
        if between and not parts[k] and _SIGN.fullmatch(tokens[k].lower()) and tokens[k] != "/":
            filled[k] = parts[k - 1]
    plain = [f"I-{part}" if part else "O" for part in filled]
    return labels_from_spans(spans(plain), len(plain))
