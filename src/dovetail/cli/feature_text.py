"""CRFsuite's text format, a sequence at a time: what a tagger needs of it.

A line is a token: its label and then its features, split by tabs; a blank line ends a sequence. A
feature may have a value, ``name:2.5``; in a name, ``\\:`` is a colon and ``\\\\`` a backslash. The
weight of a sequence, ``@weight:2.5`` in place of a label, matters in training only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite

from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text

Features = list[str] | dict[str, float]
_FEATURE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::(.*))?", re.DOTALL)
_WEIGHT = re.compile(r"@weight(?::.*)?", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read_feature_text(path: PathLike) -> Iterator[tuple[list[Features], list[str]]]:
    """The token features and the labels of one sequence after another.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.crfsuite")
    >>> _ = path.write_text("B\\tw=a\\tbias\\nI\\tw=b\\tlength:2.5\\n")
    >>> list(read_feature_text(path))
    [([['w=a', 'bias'], {'w=b': 1.0, 'length': 2.5}], ['B', 'I'])]
    """
    items: list[Features] = []
    labels: list[str] = []
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line:
                label, *fields = line.split("\t")
                if _WEIGHT.fullmatch(label):
                    if not fields:
                        continue
                    label, *fields = fields
                if not label:
                    raise DataError(f"{path}:{number}: the line has no label before its first tab")
                labels.append(label)
                items.append(_features(fields, f"{path}:{number}"))
            elif items:
                yield items, labels
                items, labels = [], []
    if items:
        yield items, labels


def _features(fields: list[str], where: str) -> Features:
    if not any(":" in field or "\\" in field for field in fields):
        return [field for field in fields if field]
    values: dict[str, float] = {}
    for field in filter(None, fields):
        match = _FEATURE.fullmatch(field)
        assert match is not None  # the expression fits any string
        name = _ESCAPED.sub(r"\1", match[1])
        values[name] = values.get(name, 0.0) + _value(match[2], where)
    return values


def _value(text: str | None, where: str) -> float:
    if text is None:
        return 1.0
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise DataError(
            f"{where}: {text!r} is not a finite feature value; write a colon within a name as \\:"
        )
    return value
