"""A part of a text that was prepared for training: its arrays, read back, stay within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Dataset, _native

LABELS = ["X", "Y", "Z"]
NOTHING = np.zeros(0, np.uint8)
FLOATS = np.zeros(0, np.float32)
NONE = 2**32 - 1


def arrays() -> dict[str, Any]:
    """Features with one label and with several, in families that bundle; transitions."""
    words = [("a", "n"), ("b", "n"), ("a", "n"), ("c", "v"), ("a", "n"), ("b", "n")] * 3
    data = Dataset()
    for k in range(0, len(words), 3):
        tokens = [[f"word={word}", f"tag={tag}"] for word, tag in words[k : k + 3]]
        data.append(tokens, ["X", "Y", "Z"] if k % 2 else ["X", "X", "Y"])
    given = (NOTHING, FLOATS, NOTHING, NOTHING, NOTHING, FLOATS)
    return dict(_native.problem_arrays(_native.Problem(data.native, 1, False, False, *given)))


def test_what_is_sound_comes_back() -> None:
    sound = arrays()
    again = dict(_native.problem_arrays(_native.problem_from_arrays(sound, LABELS, True)))
    assert again.keys() == sound.keys()
    for name, array in sound.items():
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize(
    ("name", "at", "number", "what"),
    [
        ("row", 0, 2**31 + 1000, "rows"),
        ("row", -1, 1000, "rows"),
        ("pair_label", 0, 3, "pairs"),
        ("slot", -1, 2**31, "parameters"),
        ("parameter", 0, 1000, "parameters"),
        ("parameter", 1, 3, "parameters"),
        ("parameter", 2, 3, "parameters"),
        ("parameter", 2, NONE, "parameters"),
        ("parameter", 0, NONE, "parameters"),
        ("bounds", -1, 5, "bounds"),
        ("bundle_begin", -1, 1000, "bundles"),
        ("bundle_member", 0, 1000, "bundles"),
        ("plain_begin", 1, 1000, "occurrences"),
        ("plain_code", 0, 2**31, "occurrences"),
        ("plain_dense", 0, 1000, "occurrences"),
        ("plain_singles", 0, 1000, "occurrences"),
        ("plain_single_label", 0, 3, "labels"),
        ("bundled_code", 0, 2**31, "occurrences"),
        ("bundled_single_label", -1, 3, "labels"),
        ("gold", 0, 3, "labels"),
        ("sequences", -1, 17, "sequences"),
    ],
)
def test_a_number_out_of_bounds_is_refused(name: str, at: int, number: int, what: str) -> None:
    damaged = arrays()
    damaged[name] = damaged[name].copy()
    damaged[name][at] = number
    with pytest.raises(ValueError, match=f"^its {what} do not fit"):
        _native.problem_from_arrays(damaged, LABELS, True)


@pytest.mark.parametrize(
    ("name", "size", "what"),
    [
        ("legal", 8, "settings"),
        ("start", 2, "settings"),
        ("end", 4, "settings"),
        ("margin", 1, "settings"),
        ("scale", 1, "settings"),
        ("row_mask", 1, "rows"),
        ("slot", 1, "parameters"),
        ("bounds", 1, "bounds"),
        ("plain_begin", 3, "occurrences"),
        ("plain_dense", 3, "occurrences"),
        ("plain_singles", 3, "occurrences"),
        ("plain_single_label", 3, "occurrences"),
        ("plain_value", 1, "values"),
    ],
)
def test_an_array_of_another_size_is_refused(name: str, size: int, what: str) -> None:
    damaged = arrays()
    damaged[name] = np.resize(damaged[name], size).astype(damaged[name].dtype)
    with pytest.raises(ValueError, match=f"^its {what} do not fit"):
        _native.problem_from_arrays(damaged, LABELS, True)


@pytest.mark.parametrize("name", ["row", "parameter", "plain_begin", "bundle_member", "gold"])
def test_an_array_that_is_missing_is_named(name: str) -> None:
    damaged = arrays()
    del damaged[name]
    with pytest.raises(ValueError, match=f"^it lacks the array '{name}'"):
        _native.problem_from_arrays(damaged, LABELS, True)
