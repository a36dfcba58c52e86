"""Training data kept on disk, in a folder that knows which files it was made of."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from dovetail.cli.inputs import Source
from dovetail.corpus import Shards
from dovetail.corpus.shards import INDEX
from dovetail.errors import DataError
from dovetail.io.files import atomic_write
from dovetail.io.fingerprint import fingerprint

MADE_OF = "sources.json"
AT_ONCE = 1000  # sequences that are read together


def keep_on_disk(sources: Sequence[Source], folder: str) -> Shards:
    """The text of some files in parts; a folder that has it already is used as it is.

    A folder that `Shards.write` made elsewhere says nothing of files, and is used too.
    """
    described = [_describe(source) for source in sources]
    if (Path(folder) / INDEX).exists():
        _refuse_others(folder, described)
        return Shards(folder)
    batches = (batch.corpus for one in sources for batch in one.batches(AT_ONCE, lambda c: c))
    first = next(batches, None)
    if first is None or not first.n_tokens:
        raise DataError(f"{', '.join(one.path for one in sources)} holds no sequences")
    refuse_one_column(sources[0].path, first.names)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror or error}") from None
    with atomic_write(Path(folder) / MADE_OF) as file:
        file.write(json.dumps(described, indent=1).encode())
    return Shards.write(folder, chain([first], batches))


def refuse_one_column(path: str, names: Sequence[str]) -> None:
    """Words without labels are nothing to train on."""
    if len(names) < 2:
        raise DataError(f"{path} has one column, {names[0]!r}: training needs a label too")


def _refuse_others(folder: str, described: Sequence[Any]) -> None:
    made_of = Path(folder) / MADE_OF
    if not made_of.exists():
        return
    try:
        known = json.loads(made_of.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        raise DataError(f"{made_of} is damaged: give another folder") from None
    if known != described or any(one["digest"] is None for one in described):
        raise DataError(
            f"{folder} holds the text of other files, or it was read otherwise: give another folder"
        )


def _describe(source: Source) -> dict[str, Any]:
    """What is read and how; what standard input holds cannot be known beforehand."""
    path = Path(source.path)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return {
        "format": source.format,
        "columns": None if source.columns is None else [*source.columns],
        "unit": source.unit,
        "digest": None if os.fspath(path) == "-" else fingerprint(*files),
    }
