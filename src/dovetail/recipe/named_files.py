"""Files that a recipe names, relative to its folder, and sets of features."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from dovetail.corpus import format_of
from dovetail.corpus.shards import holds_shards
from dovetail.errors import DataError
from dovetail.features.sets import NAMES
from dovetail.recipe.schema.keys import suggest

DEFAULT_SET = "default"
FOLDER_FORMATS = ("markup", "xml", "parquet")  # formats of which a folder is a corpus, too


def resolve_files(
    folder: Path, given: str | list[str], what: str, format: str | None
) -> tuple[Path, ...]:
    """The files of a key that takes one or several."""
    names = [given] if isinstance(given, str) else given
    return tuple(resolve_file(folder, name, what, format in FOLDER_FORMATS) for name in names)


def resolve_texts(
    folder: Path, given: str | list[str], what: str, format: str | None
) -> tuple[Path, ...]:
    """Files, or folders that hold corpora in parts."""
    names = [given] if isinstance(given, str) else given
    return tuple(
        folder / name
        if holds_shards(folder / name)
        else resolve_file(folder, name, what, format in FOLDER_FORMATS)
        for name in names
    )


def resolve_file(folder: Path, name: str, what: str, may_be_folder: bool = False) -> Path:
    """A file that has to be there."""
    path = folder / name
    if os.path.isdir(path) and not may_be_folder:
        raise DataError(f"{what} names {name}, but {path} is a directory")
    if not os.path.exists(path):
        raise DataError(f"{what} names {name}, but {path} is not there")
    return path


def resolve_features(folder: Path, given: str, where: str) -> str | Path | None:
    """A template file, or the name of a set; None for the set that suits the data."""
    if os.path.isfile(folder / given):
        return folder / given
    if given == DEFAULT_SET:
        return None
    if given not in NAMES:
        raise DataError(
            f"{where}: there is neither a template file nor a feature set '{given}'; "
            f"{suggest(given, NAMES)}"
        )
    return given


def check_format(files: Iterable[Path], format: str | None, has_columns: bool, where: str) -> None:
    """Refuse files whose format cannot be told, and names of columns that no format asks for."""
    for path in files:
        try:
            found = format_of(path, format)
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
        if has_columns and found != "conll":
            raise DataError(f"{where}: columns names those of CoNLL files, and {path} is {found}")
