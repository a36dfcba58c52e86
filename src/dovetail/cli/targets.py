"""Files that commands write: never one of their inputs, and nothing that Dovetail has not made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from dovetail.errors import DataError
from dovetail.io.files import PathLike, check_writable
from dovetail.io.origin import is_ours

Function = TypeVar("Function", bound=Callable[..., Any])
PAIRS = {".txt": ".ann", ".ann": ".txt"}
Paths = Iterable[PathLike | None]


def force_option(function: Function) -> Function:
    """The option that allows a command to replace files of others."""
    return click.option(
        "--force", is_flag=True, help="Replace an existing file that Dovetail has not made."
    )(function)


def check_outputs(
    outputs: Paths, inputs: Paths, *, force: bool = False, adds: bool = False
) -> None:
    """Refuse outputs that cannot be written or would destroy something, before any work is done.

    That is every file or folder that is read, under whatever name, and, unless ``force`` is given,
    files that are not of our making; one that only ``adds`` to a file sees to that itself.
    Devices, ``-`` and None are let through.
    """
    read = {identity: path for path in inputs for identity in _identities(path)}
    for path in outputs:
        if path is None or os.fspath(path) == "-":
            continue
        check_writable(path)
        same = next((read[one] for one in _identities(path) if one in read), None)
        if same is not None:
            raise DataError(f"cannot write {path}: it is what is read ({same}); give another name")
        if not (force or adds) and Path(path).is_file() and not is_ours(path):
            raise DataError(
                f"{path} is there already, and is no file that Dovetail recognizes as its own: "
                "give another name, or --force to replace it"
            )


def check_default_outputs(*paths: PathLike) -> None:
    """Refuse names that nobody chose where they are links to other files."""
    for path in paths:
        if os.path.islink(path):
            raise DataError(
                f"{path}, the default name, is a link to {os.path.realpath(path)}: "
                "name the file that you want to have written"
            )


def _identities(path: PathLike | None) -> Iterator[tuple[int, int]]:
    """The device and inode of a plain file, of both files of a pair of brat's, or of those in a
    folder."""
    if path is None or os.fspath(path) == "-":
        return
    files = [*Path(path).iterdir()] if os.path.isdir(path) else [Path(path)]
    if (other := PAIRS.get(Path(path).suffix)) is not None:
        files.append(Path(path).with_suffix(other))
    for file in files:
        if file.is_file():
            found = file.stat()
            yield found.st_dev, found.st_ino
