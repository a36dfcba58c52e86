"""Strings as arrays: their bytes one after another, and where each ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt


def pack_strings(name: str, strings: Iterable[str]) -> dict[str, npt.NDArray[Any]]:
    """Two arrays, the first of this name."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    ends = np.cumsum([0, *map(len, encoded)])
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}_ends": ends}


def unpack_strings(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> list[str]:
    """The strings of such arrays."""
    raw, ends = arrays[name].tobytes(), arrays[f"{name}_ends"]
    if not ends.size or ends[0] or ends[-1] != len(raw) or (ends[1:] < ends[:-1]).any():
        raise ValueError
    return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends.tolist())]
