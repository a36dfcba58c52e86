"""Experiments use the public interface of Dovetail alone, and the package nothing of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PUBLIC = (
    "dovetail",
    "dovetail.compare",
    "dovetail.corpus",
    "dovetail.evaluate",
    "dovetail.features",
    "dovetail.features.sets",
    "dovetail.interop",
    "dovetail.multitask",
    "dovetail.pipeline",
    "dovetail.representation",
    "dovetail.studio",
)
MODULES = sorted((ROOT / "experiments").rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Modules of Dovetail that are imported from, and the names."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
            yield from (name.rpartition(".")[::2] for name in found if name != "dovetail")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative"
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_public(module: str, name: str) -> bool:
    """Whether a name is exported, or belongs to a module that is."""
    if module in PUBLIC:
        return name in (*import_module(module).__all__, "__version__")
    package, _, last = module.rpartition(".")
    exported = package in PUBLIC and last in import_module(package).__all__
    return exported and not name.startswith("_") and _is_module(package, last)


def _is_module(package: str, name: str) -> bool:
    return isinstance(getattr(import_module(package), name), ModuleType)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_what_is_exported_is_imported(path: Path) -> None:
    used = [
        (module, name) for module, name in imports(path) if f"{module}.".startswith("dovetail.")
    ]
    assert [pair for pair in used if not is_public(*pair)] == []


def test_all_that_is_used_is_documented() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    used = {name for path in MODULES for module, name in imports(path) if module in PUBLIC}
    assert used - {*re.findall(r"\w+", page), "__version__"} == set()


def test_private_names_are_seen() -> None:
    assert is_public("dovetail.evaluate.fields", "Choice")
    assert not is_public("dovetail.evaluate.significance", "compare_paired")
    assert not is_public("dovetail.chain.tagger", "Tagger")
    assert not is_public("dovetail", "chain")
