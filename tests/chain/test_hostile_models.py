"""Columns from a damaged or malicious model file: an error or a working model, never a crash."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import _native
from reference.model_columns import COLUMNS, NONE, TinyModel

NOTHING = np.zeros(0, np.uint8)
UNLIMITED = _native.Constraints(0, NOTHING, NOTHING, NOTHING)
TOKENS = [["a", "b"], ["c"], {"d": 2.5, "a": -1.0}, ["e", "e", "unknown"]]


def columns() -> dict[str, np.ndarray[Any, np.dtype[np.uint8]]]:
    """A sound model that uses every column."""
    return TinyModel(
        3,
        np.arange(9, dtype=np.float32).reshape(3, 3),
        {"a": {0: 1, 1: 2, 2: 3}, "b": {1: 0.5}, "c": {0: -1, 2: 1}, "d": {0: 2, 1: -2}},
        {"a": {(0, 1): 1.0, (2, 2): -1.0}, "e": {(1, 0): 0.25}},
        frozenset("ad"),
    ).columns()


def use(model: Any) -> None:
    """Runs everything once; answers may be anything."""
    batch = model.encode([TOKENS, []])
    model.tag([TOKENS], tuple("xyz"), UNLIMITED, 1)
    model.viterbi(batch, UNLIMITED, NOTHING, 1)
    model.posteriors(batch, UNLIMITED, NOTHING, 1)
    model.transition_marginals(batch, 0, UNLIMITED, NOTHING)
    model.kbest(batch, 0, 5, UNLIMITED, NOTHING)
    model.sample(batch, 0, 2, 1, UNLIMITED, NOTHING)
    masks = np.ones(9, np.uint8)
    model.span_log_probabilities(batch, 0, np.array([1]), np.array([2]), masks, UNLIMITED, NOTHING)
    model.path_scores(batch, np.array([0, 1, 2, 0], np.int32), UNLIMITED)
    model.token_scores(batch)


def with_words(name: str, dtype: str, changes: dict[int, float]) -> dict[str, Any]:
    out: dict[str, Any] = columns()
    words = out[name].view(dtype).copy()
    for at, value in changes.items():
        words[at] = value
    out[name] = words.view(np.uint8)
    return out


def test_sound_columns_make_a_model() -> None:
    use(_native.Model(3, **columns()))


@given(st.sampled_from(COLUMNS), st.booleans(), st.data())
@settings(deadline=None, max_examples=2500)
def test_damaged_columns(name: str, check: bool, data: st.DataObject) -> None:
    """Some bytes changed, or a piece cut off, or the column swapped for other bytes.

    Contents that were not checked may end in an error when they are used, but in no crash.
    """
    damaged: dict[str, Any] = columns()
    column = damaged[name].copy()
    kind = data.draw(st.sampled_from(["change", "cut", "replace"]))
    if kind == "change":
        place = st.integers(0, max(0, len(column) - 1))
        byte = st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]) | st.integers(0, 255)
        for at, value in data.draw(st.lists(st.tuples(place, byte), min_size=1, max_size=8)):
            column[at] = value
    elif kind == "cut":
        column = column[: data.draw(st.integers(0, len(column)))].copy()
    else:
        column = np.frombuffer(data.draw(st.binary(max_size=100)), np.uint8)
    damaged[name] = column
    labels = data.draw(st.just(3) | st.integers(-2, 40))
    try:
        model = _native.Model(labels, **damaged, check_contents=check)
    except ValueError:
        return
    with nullcontext() if check else suppress(ValueError):
        if labels == 3:
            use(model)


@pytest.mark.parametrize(
    ("name", "dtype", "changes", "message"),
    [
        ("slots", "<u4", {0: 5, 1: 5, 2: 5}, "slot 0 holds a feature that does not exist"),
        ("slots", "<u4", dict.fromkeys(range(48), 1), "the table of features has no empty slot"),
        ("row", "<u4", {2: 0x80000002}, "row 2 points outside the dense weights"),
        ("row", "<u4", {1: 3}, "row 1 points outside the pairs"),
        ("pair_label", "<u2", {1: 3}, "pair 1 has a label that does not exist"),
        ("pair_label", "<u2", {2: 0}, "the last pair is not marked"),
        ("edge_row", "<u4", {0: 3}, "transition row 0 points outside the cells"),
        ("cell", "<u4", {0: 3}, "cell 0 has a label that does not exist"),
        ("cell", "<u4", {1: 0x80000018}, "cell 1 has a label that does not exist"),
        ("cell", "<u4", {2: 0}, "the last cell is not marked"),
        ("dense", "<f4", {3: np.nan}, "dense weight 3 is not a finite number"),
        ("pair_weight", "<f4", {0: np.inf}, "pair weight 0 is not a finite number"),
        ("transitions", "<f4", {8: -np.inf}, "transition weight 8 is not a finite number"),
        ("cell_weight", "<f4", {1: np.nan}, "cell weight 1 is not a finite number"),
    ],
)
def test_faults_are_named(name: str, dtype: str, changes: dict[int, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        _native.Model(3, **with_words(name, dtype, changes))


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("slots", 36, "the number of slots is not a power of two"),
        ("slots", 0, "the number of slots is not a power of two"),
        ("row", 7, "row ends within a number"),
        ("row", 4, "rows on labels and on transitions differ in number"),
        ("dense", 36, "the dense weights are not whole rows"),
        ("pair_label", 4, "labels and weights of pairs differ in number"),
        ("transitions", 32, "the transitions are not one for each pair of labels"),
        ("edge_row", 0, "there are cells that no feature has"),
        ("edge_row", 4, "rows on labels and on transitions differ in number"),
        ("cell_weight", 4, "cells and their weights differ in number"),
    ],
)
def test_wrong_sizes_are_named(name: str, size: int, message: str) -> None:
    damaged: dict[str, Any] = columns()
    whole = damaged[name]
    damaged[name] = whole[:size].copy()
    with pytest.raises(ValueError, match=f"^{message}"):
        _native.Model(3, **damaged)


@pytest.mark.parametrize("labels", [0, -1, 32767, 2**40])
def test_impossible_numbers_of_labels(labels: int) -> None:
    with pytest.raises(ValueError, match="the number of labels is not between"):
        _native.Model(labels, **columns())


def test_a_model_without_features() -> None:
    empty: dict[str, Any] = dict.fromkeys(COLUMNS, b"")
    empty["slots"] = bytes(12)
    empty["transitions"] = bytes(36)
    use(_native.Model(3, **empty))
    with pytest.raises(ValueError, match="slots"):
        _native.Model(3, **(empty | {"slots": b""}))


def test_features_without_weights() -> None:
    use(_native.Model(3, **with_words("row", "<u4", {0: NONE, 1: NONE})))


def test_columns_need_not_be_aligned_nor_writable() -> None:
    shifted: dict[str, Any] = {}
    for name, column in columns().items():
        whole = b"\0" + column.tobytes()
        shifted[name] = memoryview(whole)[1:]
    one, other = _native.Model(3, **shifted), _native.Model(3, **columns())
    scores = [m.token_scores(m.encode([TOKENS])) for m in (one, other)]
    assert (scores[0] == scores[1]).all()


def test_columns_of_other_types_are_refused() -> None:
    wrong: dict[str, Any] = columns()
    wrong["dense"] = wrong["dense"].view(np.float32)
    with pytest.raises(TypeError):
        _native.Model(3, **wrong)


def test_a_model_keeps_its_columns_alive() -> None:
    fleeting: dict[str, Any] = {name: column.tobytes() for name, column in columns().items()}
    model = _native.Model(3, **fleeting)
    del fleeting
    batch = model.encode([TOKENS] * 50)
    before = model.token_scores(batch)
    junk = [bytes([255]) * 100 for _ in range(1000)]
    assert (model.token_scores(batch) == before).all()
    assert junk
    del model, junk
    assert batch.n_tokens == 200
