"""Fingerprints of code: results that depend on a module are computed again when it has changed."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import Any

import dovetail
from dovetail import DataError
from dovetail.compare import fingerprint

PACKAGE = Path(dovetail.__file__).parent
ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "native"
TAGGER = ("chain/**/*.py", "features/**/*.py")
DESCRIBED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def code_fingerprint(*patterns: str) -> str:
    """That of modules of Dovetail, by their paths in it; comments, docstrings and layout do not
    count.

    >>> code_fingerprint("errors.py") == code_fingerprint("error?.py") != code_fingerprint("*.py")
    True
    """
    return _of_files(PACKAGE, patterns)


@cache
def reader_fingerprint(*names: str) -> str:
    """That of modules of `experiments.readers`, by their names."""
    return _of_files(ROOT / "experiments" / "readers", [f"{name}.py" for name in names])


def module_fingerprint(defined: Any) -> str:
    """That of the module in which a class or a function is defined."""
    path = sys.modules[defined.__module__].__file__
    assert path is not None
    return fingerprint(normalized_code(Path(path).read_text("utf-8")))


@cache
def tagger_fingerprint() -> str:
    """That of all that makes a tagger of a text: features, prior and training, in Python and in
    native code."""
    kernels = sorted(KERNELS.rglob("*.[ch]pp"))
    return fingerprint(code_fingerprint(*TAGGER), *kernels)


def _of_files(folder: Path, patterns: tuple[str, ...] | list[str]) -> str:
    found = [sorted(folder.glob(pattern)) for pattern in patterns]
    missing = [pattern for pattern, paths in zip(patterns, found, strict=True) if not paths]
    if missing:
        raise DataError(f"there is no code {missing[0]} in {folder}")
    sources = (path.read_text("utf-8") for paths in found for path in paths)
    return fingerprint(*map(normalized_code, sources))


def normalized_code(source: str) -> str:
    """What a module does, as text.

    >>> normalized_code("C = 1  # one") == normalized_code("'Told.'\\nC = 1")
    True
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DESCRIBED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)
