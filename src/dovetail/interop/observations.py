"""Features of CRF++ and Wapiti, which are strings, as the rows and values that our templates make.

Both programs put values into a line of the template, as ``U05:%x[-1,0]/%x[0,0]`` makes
``U05:the/cat``, and forget where each value began and ended. `parse_crfpp` names a row by its line
with ``%`` for each value; here the values are found again. Where a string can be cut in several
ways, all of them are the same feature there, so all get its weights here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.features.crfpp import parse_crfpp
from dovetail.interop.foreign import Floats, Ints, Reader, Weights

MOST_CUTS = 10_000
MOST_VALUES = 200  # in a line of a template
DISTANT = 5  # how far outside the sequence a "#" is


class Observations(NamedTuple):
    """What a model of CRF++ or Wapiti holds.

    Four run side by side: the number of a string, and a weight that it has on a label (``previous``
    is -1) or on a transition. ``outside`` matches the values that stand for what lies outside the
    sequence, with the sign and the distance as groups.
    """

    labels: list[str]
    lines: list[str]
    strings: list[bytes]
    owner: Ints
    previous: Ints
    label: Ints
    weight: Floats
    outside: re.Pattern[bytes]


def find_weights(
    found: Observations, source: str, columns: Sequence[str] | None = None
) -> tuple[Weights, Template]:
    """The template that a model of that name was trained with, and the weights of its features."""
    reader = Reader(b"", source)
    template = _parse_template(reader, found.lines, columns or _default_columns(found.lines))
    return _weights(reader, found, template), template


def _parse_template(reader: Reader, lines: Sequence[str], columns: Sequence[str]) -> Template:
    try:
        return Template(*parse_crfpp("\n".join(lines), columns, f"the template of {reader.source}"))
    except DataError as error:
        reader.fail(f"cannot be used: {error}")


def _weights(reader: Reader, found: Observations, template: Template) -> Weights:
    """Weights by the features of a template."""
    rows = [row.name.encode() for row in template.rows]
    if any(row.count(b"%") > MOST_VALUES for row in rows):
        reader.fail(f"cannot be used: a line of its template has more than {MOST_VALUES} values")
    cuts = Cuts(rows, found.outside)
    constant_lines = {line.encode() for line in found.lines if "%" not in line}
    features: list[tuple[bytes, ...]] = []
    owners: list[int] = []
    constant = np.zeros(len(found.strings), bool)
    most = MOST_CUTS + 20 * len(found.strings)
    for number, text in enumerate(found.strings):
        if not text.isascii():
            reader.text(text, "feature")
        made = list(islice(cuts.of(text), most - len(features) + 1))
        if len(features) + len(made) > most:
            reader.fail(f"has features that can be read in too many ways, as {text[:60]!r}")
        constant[number] = text in constant_lines
        features += made
        owners += [number] * len(made)
    plain = constant[found.owner] & (found.previous >= 0)
    return _add_transitions(
        _share_weights(found, ~plain, features, np.array(owners, np.int64)),
        found.previous[plain],
        found.label[plain],
        found.weight[plain],
    )


def _share_weights(
    found: Observations, chosen: npt.NDArray[np.bool_], features: list[Any], owners: Ints
) -> Weights:
    """Weights of strings, given to each of the features that a string may be."""
    kept = np.flatnonzero(chosen & (found.weight != 0))
    kept = kept[np.argsort(found.owner[kept], kind="stable")]
    counts = np.bincount(found.owner[kept], minlength=len(found.strings))
    begins = np.cumsum(counts) - counts
    each = counts[owners]
    number = np.repeat(np.arange(len(features)), each)
    within = np.arange(len(number)) - np.repeat(np.cumsum(each) - each, each)
    at = kept[np.repeat(begins[owners], each) + within]
    columns = found.previous[at], found.label[at], found.weight[at]
    return Weights(found.labels, features, number, *columns)


def _add_transitions(weights: Weights, previous: Ints, label: Ints, weight: Floats) -> Weights:
    """Also weights on plain moves, those on the same move added up."""
    n = len(weights.labels)
    keys, place = np.unique(previous * n + label, return_inverse=True)
    return weights._replace(
        feature=np.concatenate([weights.feature, np.full(len(keys), -1)]),
        previous=np.concatenate([weights.previous, keys // n]),
        label=np.concatenate([weights.label, keys % n]),
        weight=np.concatenate([weights.weight, np.bincount(place, weight, len(keys))]),
    )


class Cuts:
    """All ways in which lines of a template can have made a string."""

    def __init__(self, rows: Sequence[bytes], outside: re.Pattern[bytes]) -> None:
        self._outside = outside
        self._by_start: dict[bytes, list[tuple[bytes, list[bytes]]]] = {}
        for row in dict.fromkeys(rows):
            start, *literals = row.split(b"%")
            self._by_start.setdefault(start, []).append((row, literals))
        self._lengths = sorted({len(start) for start in self._by_start})

    def of(self, text: bytes) -> Iterator[tuple[bytes, ...]]:
        """The row and the values, for each way."""
        for length in self._lengths:
            for row, literals in self._by_start.get(text[:length], ()):
                for values in _values(text, length, literals):
                    yield from ((row, *said) for said in product(*map(self._readings, values)))

    def _readings(self, value: bytes) -> tuple[bytes, ...]:
        """A value as it is; one from outside the sequence may also be what we have for that."""
        found = self._outside.fullmatch(value)
        if not found:
            return (value,)
        sign, distance = found.groups()
        number = DISTANT if distance == b"#" else int(distance)
        return value, f"⟨{sign.decode()}{number}⟩".encode()


def _values(text: bytes, at: int, literals: Sequence[bytes]) -> Iterator[tuple[bytes, ...]]:
    """Values from ``at`` on, each followed by its literal, up to the end."""
    if not literals:
        if at == len(text):
            yield ()
        return
    literal, rest = literals[0], literals[1:]
    if not rest:
        if text.endswith(literal) and len(text) - len(literal) >= at:
            yield (text[at : len(text) - len(literal)],)
        return
    end, fruitful = text.find(literal, at), True
    while end >= 0 and fruitful:  # what cannot be cut from here cannot be cut further on either
        fruitful = False
        for others in _values(text, end + len(literal), rest):
            fruitful = True
            yield (text[at:end], *others)
        end = text.find(literal, end + 1)


def _default_columns(lines: Sequence[str]) -> list[str]:
    """Names for as many columns as lines of a template read."""
    numbers = [
        int(n) for line in lines for n in re.findall(r"%\w\[[^],]{1,12},\s*\+?(\d{1,3})", line)
    ]
    return ["word", *(f"column{number + 1}" for number in range(1, max(numbers, default=0) + 1))]
