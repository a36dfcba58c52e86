"""Weights of features in columns, one for each label or direction, and what they say of a corpus.

The arrays are those of a tagger's model file, without moves from one label to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import NAME_ARRAYS, WEIGHT_ARRAYS
from dovetail.errors import ModelFileError
from dovetail.features import Template
from dovetail.io.model_file import ModelFile

Singles = npt.NDArray[np.float32]
ARRAYS = (*NAME_ARRAYS, *WEIGHT_ARRAYS)


class Weights:
    """Weights [features x columns], by the keys of features."""

    def __init__(self, n_columns: int, arrays: Mapping[str, Any], *, check: bool = True) -> None:
        self.n_columns = n_columns
        self.arrays = dict(arrays)
        raw: list[Any] = [
            np.frombuffer(memoryview(self.arrays[name]).cast("B"), np.uint8)
            if len(self.arrays[name])
            else np.zeros(0, np.uint8)
            for name in WEIGHT_ARRAYS
        ]
        self.native = _native.Model(n_columns, *[*raw, check])

    @classmethod
    def of(
        cls, data: _native.Dataset, features: npt.NDArray[np.uint32], values: Singles
    ) -> Weights:
        """From values [features x columns] for features of a data set; those with no value but 0
        are left out."""
        kept = np.flatnonzero(values.any(axis=1))
        numbers = np.ascontiguousarray(features[kept])
        arrays = _native.model_arrays_without_transitions(
            data, numbers, np.ascontiguousarray(values[kept])
        )
        return cls(values.shape[1], arrays, check=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.n_columns, self.contiguous())

    @classmethod
    def in_file(cls, file: ModelFile, n_columns: int) -> Weights:
        """Those that a model file holds."""
        try:
            return cls(n_columns, {name: file.array(name) for name in ARRAYS})
        except ModelFileError:
            raise
        except ValueError as error:
            raise ModelFileError(f"{file.source} is damaged: {error}") from None

    @property
    def n_features(self) -> int:
        return self.native.n_features

    def scores(self, template: Template, data: Any) -> npt.NDArray[np.float64]:
        """Sums of the weights of each token's features, [tokens x columns]."""
        parts = [np.empty((0, self.n_columns))]
        for columns in template.read(data):
            batch = template.compile_rows(template.rows).encode(self.native, columns)
            parts.append(self.native.token_scores(batch))
        return np.concatenate(parts)

    def names(self) -> list[str]:
        """Names of the features."""
        raw = bytes(memoryview(self.arrays["names"]).cast("B"))
        offsets = np.frombuffer(memoryview(self.arrays["name_offsets"]).cast("B"), np.uint64)
        ends: Sequence[int] = offsets.astype(np.int64).tolist()
        return [raw[a:b].decode() for a, b in pairwise(ends)]

    def values(self) -> Singles:
        """The weights, [features x columns]."""
        padded = -(-self.n_columns // 8) * 8
        dense = np.frombuffer(memoryview(self.arrays["dense"]).cast("B"), np.float32)
        return dense.reshape(-1, padded)[:, : self.n_columns]

    def contiguous(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays as a file has them."""
        kinds = {"names": np.uint8, "name_offsets": np.uint64, "pair_label": np.uint16}
        floats = ("dense", "pair_weight", "transitions", "cell_weight")
        found = {}
        for name in ARRAYS:
            kind = kinds.get(name, np.float32 if name in floats else np.uint32)
            given = self.arrays[name]
            plain = memoryview(given).cast("B") if len(given) else b""
            found[name] = np.frombuffer(plain, kind)
        return found
