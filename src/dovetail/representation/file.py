"""Files of representations: the layout and checks of model files, with arrays of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import __version__
from dovetail.errors import DataError, ModelFileError
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.io.model_file import to_bytes as file_bytes
from dovetail.representation.vocabulary import Vocabulary

Array = npt.NDArray[Any]


class RepresentationFile:
    """An open file: facts, and arrays of checked shape."""

    def __init__(self, file: ModelFile) -> None:
        self.source = file.source
        self.facts: dict[str, Any] = file.facts
        self._file = file

    def numbers(
        self, name: str, dtype: Any, shape: tuple[int, ...], *, below: int | None = None
    ) -> Array:
        """An array of this shape, whose numbers are finite and below a bound where there is one."""
        flat = np.frombuffer(self._file.array(name), np.uint8)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if len(flat) != size:
            raise ModelFileError(f"{self.source} is damaged: the array '{name}' has a wrong size")
        values: Array = flat.view(dtype).reshape(shape).copy()
        wrong = not np.isfinite(values).all() if values.dtype.kind == "f" else False
        if wrong or (below is not None and values.size and int(values.max()) >= below):
            raise ModelFileError(f"{self.source} is damaged: the array '{name}' has a wrong value")
        return values

    def raw(self, name: str) -> bytes:
        return bytes(self._file.array(name))


def to_bytes(kind: str, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> bytes:
    """A representation's file in memory."""
    whole = {"kind": kind, "labels": [], "training": {}, "dovetail": __version__, **facts}
    return file_bytes(arrays, whole)


@contextmanager
def open_representation_file(source: Source | ModelFile, kind: str) -> Iterator[RepresentationFile]:
    """A file of that kind; what is wrong in it is one clear sentence."""
    model = open_model(source, verify=True)
    model.check_kind(kind)
    file = RepresentationFile(model)
    try:
        yield file
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, DataError):
        raise ModelFileError(f"{file.source} is damaged: its description cannot be read") from None


def read_origin(file: RepresentationFile) -> dict[str, str]:
    """Where the data come from, for files of what others have made."""
    return {str(key): str(value) for key, value in file.facts.get("origin", {}).items()}


def strings_as_arrays(name: str, strings: Iterable[str]) -> dict[str, Array]:
    """Strings as two arrays: all of them one after another, and where each begins."""
    encoded = [string.encode() for string in strings]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in encoded])])
    return {
        f"{name}s": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}_offsets": offsets.astype(np.uint64),
    }


def read_strings(file: RepresentationFile, name: str) -> list[str]:
    """The strings that `strings_as_arrays` made arrays of."""
    raw = file.raw(f"{name}s")
    offsets = np.frombuffer(file.raw(f"{name}_offsets"), np.uint64).astype(np.int64)
    if (
        not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != len(raw)
        or (np.diff(offsets) < 0).any()
    ):
        raise ModelFileError(f"{file.source} is damaged: its {name}s do not fit")
    return [raw[a:b].decode() for a, b in pairwise(offsets.tolist())]


def vocabulary_arrays(vocabulary: Vocabulary) -> dict[str, Array]:
    """A vocabulary as arrays."""
    return {
        **strings_as_arrays("word", vocabulary.names),
        "rare": np.frombuffer(vocabulary.rare.encode(), np.uint8),
    }


def read_vocabulary(file: RepresentationFile) -> Vocabulary:
    """The vocabulary in a file."""
    rare: Any = file.raw("rare").decode()
    return Vocabulary(read_strings(file, "word"), rare)
