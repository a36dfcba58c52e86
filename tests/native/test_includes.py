"""Native folders depend on one another in one direction, and only the bindings know Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "native"
MAY_INCLUDE = {
    "core": set[str](),
    "cpu": set[str](),
    "features": {"core"},
    "chain": {"core", "features"},
    "grid": {"core"},
    "hmm": {"core"},
    "linear": {"core", "features"},
    "representation": {"core"},
    "optimize": {"core", "features", "chain"},
    "python": {
        "core", "features", "chain", "grid", "hmm", "linear", "representation", "optimize",
    },
}  # fmt: skip
OF_PYTHON = re.compile(r"nanobind/|Python\.h")
ABOUT_PYTHON = {"python"}, {"cpu/module.cpp"}


def sources() -> list[Path]:
    return sorted(path for path in NATIVE.rglob("*") if path.suffix in (".hpp", ".cpp"))


def includes(path: Path) -> Iterator[str]:
    """Names between the quotes or angle brackets of a file's #include lines."""
    return (
        found[1]
        for found in re.finditer(r'^\s*#\s*include\s*["<](.+?)[">]', path.read_text(), re.MULTILINE)
    )


def folder(path: Path) -> str:
    return path.relative_to(NATIVE).parts[0]


def test_every_source_lies_in_a_folder_with_a_place_in_the_order() -> None:
    assert {folder(path) for path in sources()} == set(MAY_INCLUDE)


def test_quoted_names_are_paths_from_the_root_of_the_native_code() -> None:
    for path in sources():
        for name in re.findall(r'^\s*#\s*include\s*"(.+?)"', path.read_text(), re.MULTILINE):
            assert (NATIVE / name).is_file(), f"{path} includes {name}"


def test_folders_include_only_those_below_them() -> None:
    for path in sources():
        for name in includes(path):
            if (NATIVE / name).is_file():
                below = MAY_INCLUDE[folder(path)] | {folder(path)}
                assert Path(name).parts[0] in below, f"{path} includes {name}"


def test_only_the_bindings_include_python() -> None:
    folders, files = ABOUT_PYTHON
    for path in sources():
        if folder(path) not in folders and path.relative_to(NATIVE).as_posix() not in files:
            assert not any(OF_PYTHON.match(name) for name in includes(path)), path
