"""Text from strangers on a terminal: shown, never obeyed."""

from __future__ import annotations

import re

# What moves the cursor, changes colours or the order of characters: control characters but for tab
# and newline, and Unicode's marks of direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""A text whose control characters are spelled out.

    >>> print(printable("a \x1b[31mred\x1b[0m word"))
    a \x1b[31mred\x1b[0m word
    """
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)
