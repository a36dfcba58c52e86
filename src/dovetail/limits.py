"""How much a file may ask for.

A small file can demand endless work: a template that expands to millions of rows, gzip that grows a
thousandfold. These limits are far above what honest files need. Who knows a file raises one for the
process: ``dovetail.limits.limits.template_rows = 10**6``, or ``DOVETAIL_TEMPLATE_ROWS=1000000`` in
the environment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

PREFIX = "DOVETAIL_"


@dataclass
class Limits:
    """The limits of this process.

    >>> Limits().template_rows
    20000
    """

    template_rows: int = 20_000
    """Rows that the expressions of a template come to."""

    lattice: int = 1_000
    """Labellings that a model file may have a lattice keep."""

    expression_steps: int = 10_000_000
    """Steps of looking for a regular expression in one value."""

    line_bytes: int = 256_000_000
    """The length of a line of text."""

    expansion: int = 200
    """How many times its size a gzip file may come to, beyond the first 100 MB."""

    def hint(self, name: str) -> str:
        """How to raise one of them, for the end of a message."""
        return f"if you know the file, raise the limit: {PREFIX}{name.upper()}=..."


def _from_environment() -> Limits:
    found = Limits()
    for one in fields(Limits):
        given = os.environ.get(PREFIX + one.name.upper(), "")
        if given.isascii() and given.isdigit() and len(given) < 19:
            setattr(found, one.name, int(given))
    return found


limits = _from_environment()
