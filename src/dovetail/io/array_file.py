"""Arrays of any type in the layout of a model file: checked, mapped when they are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import __version__
from dovetail.errors import ModelFileError
from dovetail.io.files import PathLike, atomic_write
from dovetail.io.model_file import ModelFile, open_model, to_bytes

Array = npt.NDArray[Any]
TYPES = {"|u1", "|b1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"}


class ArrayFile(NamedTuple):
    """What a file holds; the arrays stand where the file is mapped, and cannot be written to."""

    arrays: dict[str, Array]
    facts: dict[str, Any]


def write_arrays(
    path: PathLike, kind: str, arrays: Mapping[str, Array], facts: Mapping[str, Any]
) -> None:
    """Write a file whole or not at all."""
    shapes = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    raw = {
        name: np.ascontiguousarray(array).reshape(-1).view(f"u{array.itemsize}")
        for name, array in arrays.items()
    }
    whole = {"kind": kind, "labels": [], "training": {}, "dovetail": __version__, **facts}
    with atomic_write(path) as file:
        file.write(to_bytes(raw, {**whole, "arrays": shapes}))


def read_arrays(path: PathLike, kind: str, *, verify: bool = True) -> ArrayFile:
    """Map a file that `write_arrays` made; ``verify`` reads all of it and compares checksums."""
    opened = open_model(path, verify, mmap=True)
    opened.check_kind(kind)
    try:
        shapes = opened.facts["arrays"]
        arrays = {name: _array(opened, name, *shapes[name]) for name in shapes}
    except ModelFileError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ModelFileError(
            f"{os.fspath(path)} is damaged: its description cannot be read"
        ) from None
    return ArrayFile(arrays, opened.facts)


def _array(opened: ModelFile, name: str, dtype: str, shape: list[int]) -> Array:
    if dtype not in TYPES:
        raise ValueError
    found: Array = np.frombuffer(opened.array(name), dtype).reshape(shape)
    return found
