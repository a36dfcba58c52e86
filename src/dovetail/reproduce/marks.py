"""Marks of code: results that depend on a module are computed again when it has changed."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from dovetail.compare import fingerprint

PACKAGE = Path(__file__).parents[1]
KERNELS = PACKAGE.parents[1] / "native"  # beside a package that is used from its sources
TAGGER = ("chain/*.py", "features/*.py", "features/sets/*.py")
DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def code_of(*patterns: str) -> str:
    """A mark of modules of this package, by their paths in it; comments, docstrings and layout do
    not count.

    >>> code_of("chain/prior.py") == code_of("chain/pr*.py") != code_of("chain/*.py")
    True
    """
    paths = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    return fingerprint(*(bare(path.read_text("utf-8")) for path in paths))


@cache
def tagger_code() -> str:
    """A mark of all that makes a tagger of a text: features, prior and training, in Python and,
    where its sources are at hand, in native code."""
    kernels = sorted(KERNELS.rglob("*.[ch]pp"))
    return fingerprint(code_of(*TAGGER), *kernels)


def bare(source: str) -> str:
    """What a module does, as text.

    >>> bare("def f():\\n    'Told.'\\n    return 1") == bare("def f(): return 1  # one")
    True
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DESCRIBED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)
