"""Files of arrays: what goes in comes out, and what does not fit is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import __version__
from dovetail.errors import ModelFileError
from dovetail.io.array_file import TYPES, read_arrays, write_arrays
from dovetail.io.model_file import open_model, to_bytes


@pytest.mark.parametrize("dtype", sorted(TYPES))
@pytest.mark.parametrize("shape", [(0,), (6,), (2, 3), (1, 2, 3)])
def test_arrays_of_any_type_and_shape(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    path = tmp_path / "a"
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    other = array.T  # does not stand in one piece
    write_arrays(path, "thing", {"a": array, "b": other}, {"more": [1]})
    arrays, facts = read_arrays(path, "thing")
    for name, expected in (("a", array), ("b", other)):
        assert arrays[name].dtype == dtype
        assert arrays[name].shape == expected.shape
        assert (arrays[name] == expected).all()
        assert not arrays[name].flags.writeable
    assert facts["more"] == [1]
    assert facts["dovetail"] == __version__
    assert (facts["labels"], facts["training"]) == ([], {})


def test_a_file_of_another_kind_and_a_changed_one_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_arrays(path, "thing", {"a": np.arange(100)}, {})
    with pytest.raises(ModelFileError, match="holds a thing, not a house"):
        read_arrays(path, "house")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="the array 'a' has changed since it was written"):
        read_arrays(path, "thing")
    assert read_arrays(path, "thing", verify=False).arrays["a"][0] == 0


@pytest.mark.parametrize(
    "shapes",
    [
        None, 5, [1], {"a": 5}, {"a": ["<i8"]}, {"a": ["<i8", [3]]}, {"a": ["|O8", [1]]},
        {"a": ["<U2", [1]]}, {"a": [[], [1]]}, {"a": ["<i8", "x"]}, {"a": ["<i8", [[]]]},
    ],
)  # fmt: skip
def test_descriptions_that_do_not_fit_are_told(tmp_path: Path, shapes: Any) -> None:
    path = tmp_path / "a"
    facts = {"kind": "thing", "labels": [], "training": {}, "arrays": shapes}
    path.write_bytes(to_bytes({"a": np.zeros(1, np.uint64)}, facts))
    assert open_model(path).kind == "thing"
    with pytest.raises(ModelFileError, match="its description cannot be read"):
        read_arrays(path, "thing")
