"""Text from strangers on a terminal: shown, never obeyed; and whether a terminal shows colours."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import TextIO

# What moves the cursor, changes colours or the order of characters: control characters but for tab
# and newline, and Unicode's marks of direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""A text whose control characters are spelled out.

    >>> print(printable("a \x1b[31mred\x1b[0m word"))
    a \x1b[31mred\x1b[0m word
    """
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


class PrintableOutput(io.TextIOBase):
    """A terminal that is given only what is `printable`."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(printable(text))
        return len(text)

    def flush(self) -> None:
        self._terminal.flush()


def is_terminal(output: str) -> bool:
    """Whether this output, ``-`` for standard output, is a terminal."""
    return output == "-" and sys.stdout.isatty()


def wants_colours() -> bool:
    """Whether the user has not refused colours (``NO_COLOR``), and the terminal knows some."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
