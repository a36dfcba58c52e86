"""Marks of code: results that depend on a module are computed again when it has changed."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from dovetail.compare import fingerprint

PACKAGE = Path(__file__).parents[1]


@cache
def code_of(*patterns: str) -> str:
    """A mark of modules of this package, by their paths in it; comments and layout do not count.

    >>> code_of("chain/prior.py") == code_of("chain/pr*.py") != code_of("chain/*.py")
    True
    """
    paths = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    return fingerprint(*(ast.dump(ast.parse(path.read_text("utf-8"))) for path in paths))
