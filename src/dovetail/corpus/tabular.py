"""Whether a text looks like a table of tokens."""

from __future__ import annotations

from itertools import islice

from dovetail.io.files import PathLike, open_text

LINES_LOOKED_AT = 50
FEWEST_ROWS = 3


def read_rows(path: PathLike) -> list[list[str]]:
    """The fields of the first lines of a file."""
    with open_text(path) as file:
        lines = [line for line in islice(file, LINES_LOOKED_AT) if not line.isspace()]
    return [line.split("\t" if "\t" in line else None) for line in lines]


def has_equal_rows(rows: list[list[str]]) -> bool:
    """Whether there are several rows of two or more fields, and of as many.

    >>> has_equal_rows([["Ada", "B-PER"], ["ran", "O"], [".", "O"]])
    True
    """
    widths = set(map(len, rows))
    return len(rows) >= FEWEST_ROWS and len(widths) == 1 and widths != {1}
