"""Measures of representations."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail import Corpus
from dovetail.compare.measures import explained_entropy, label_entropy, state_usage, usage_distance
from dovetail.corpus import Column, SoftColumn


def test_states_that_are_labels_leave_no_entropy() -> None:
    corpus = Corpus.from_lists({"pos": [["D", "N", "V"], ["D", "N", "V", "A"]] * 2})
    labels = corpus.column("pos")
    same = corpus.with_column("state", Column(labels.codes, ("a", "b", "c", "d")))
    one = corpus.with_column("state", Column(np.zeros(len(labels), np.int32), ("a",)))
    shares = np.bincount(labels.codes) / len(labels)
    assert label_entropy(same, ["state"], "pos") == pytest.approx(0)
    assert label_entropy(one, ["state"], "pos") == pytest.approx(-(shares * np.log(shares)).sum())


def test_equal_columns_explain_each_other_and_unrelated_ones_do_not() -> None:
    corpus = Corpus.from_lists({"a": [["x", "y"] * 4], "b": [["u", "u", "v", "v"] * 2]})
    assert explained_entropy(corpus, ["a", "a"]) == pytest.approx(1)
    assert explained_entropy(corpus, ["a", "b"]) == pytest.approx(0)
    assert explained_entropy(corpus, ["a"]) is None


def test_distance_is_between_0_and_2() -> None:
    soft = SoftColumn.of(("x", "y"), [[1.0, 0.0], [0.5, 0.5]])
    here = Corpus.from_lists({"word": [["a", "b"]]}).with_column("state", soft)
    used = state_usage(here, ["state"])
    np.testing.assert_allclose(used[0], [0.75, 0.25])
    assert usage_distance([used], [used]) == 0
    assert usage_distance([[np.array([1.0, 0.0])]], [[np.array([0.0, 1.0])]]) == 2
