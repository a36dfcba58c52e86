"""What is wrong with input is named."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from chain.small import SMALL
from dovetail import Tagger
from dovetail.errors import DataError, DovetailError


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[["a"]], [["a"], "word"]], "sequence 2 token 2 is a single string"),
        ([[["a"], [3]]], "sequence 1 token 2 has a feature of type int where a string"),
        ([[["a"], None]], "sequence 1 token 2 is of type NoneType"),
        ([[["a"], [None]]], "sequence 1 token 2 has a feature of type NoneType"),
        ([None], "sequence 1 is of type NoneType"),
        ([[{"a": float("nan")}]], "sequence 1 token 1 has the value nan for feature 'a'"),
        ([[["a"], {"a": float("inf")}]], "sequence 1 token 2 has the value inf for feature"),
        ([[{"a": 1e60}]], r"sequence 1 token 1 has the value 1e\+60 for feature 'a'"),
        ([[{"a": 10**400}]], "sequence 1 token 1 has a value for feature 'a' that does not fit"),
        ([[{3: 1.0}]], "sequence 1 token 1 has a feature name of type int"),
        ([[{"a": object()}]], "sequence 1 token 1 has a value of type object for feature 'a'"),
        ([[{"a": None}]], "sequence 1 token 1 has a value of type NoneType for feature 'a'"),
        ([[{"a": ["x", 1]}]], "sequence 1 token 1 has a value of type int in feature 'a:'"),
        ([[["ok", "\ud800"]]], "sequence 1 token 1 holds a string that is not valid Unicode"),
        ([[], [["x"], {"\udfff": 1.0}]], "sequence 2 token 2 holds a string that is not valid"),
        ([[{"a": "\ud800"}]], "sequence 1 token 1 holds a string that is not valid Unicode"),
        ([[{"a": {"b": float("nan")}}]], "sequence 1 token 1 has the value nan for feature 'a:b'"),
    ],
)
def test_malformed_features_are_named(data: Any, message: str) -> None:
    gold = [["X"] * (len(s) if isinstance(s, list) else 0) for s in data]
    for ask in (
        SMALL.predict,
        SMALL.predict_marginals,
        SMALL.tag,
        lambda data: SMALL.predict_nbest(data, 2),
        lambda data: SMALL.sample(data, 2),
        lambda data: SMALL.predict(data, decode="marginal"),
        lambda data: SMALL.log_likelihood(data, gold),
    ):
        with pytest.raises(DataError, match=message):
            ask(data)
    with pytest.raises(
        DataError, match=message.replace(" token", ": token", 1).replace("1 is", "1: is")
    ):
        Tagger().fit(data, gold)


def test_explain_names_malformed_features_too() -> None:
    with pytest.raises(DataError, match="token 2 is a single string"):
        SMALL.explain([["a"], "word"])


def test_nesting_without_end() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(DataError, match="sequence 1 token 1 has features nested too deeply"):
        SMALL.predict([[endless]])
    deep: dict[str, Any] = {"a": {"b": {"c": {"d": None}}}}
    for _ in range(sys.getrecursionlimit()):  # each error leaves Python's stack as it was
        with pytest.raises(DataError):
            SMALL.predict([[deep]])


def test_an_error_in_a_generator_comes_through() -> None:
    def tokens() -> Iterator[list[str]]:
        yield ["a"]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        SMALL.predict([tokens()])
    with pytest.raises(ZeroDivisionError):
        Tagger().fit([tokens()], [["X", "Y"]])


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        ([[["a"], ["b"]]], [["X"]], "sequence 1: has 2 tokens but 1 labels"),
        ([[["a"]], [["a"]]], [["X"], ["X", "Y"]], "sequence 2: has 1 tokens but 2 labels"),
        ([[["a"]], [["a"]]], [["X"]], "there are more sequences than labels: 1"),
        ([[["a"]]], [["X"], ["Y"]], "there are more labels than sequences: 1"),
        ([[["a"]]], [[3]], "sequence 1: token 1 has a label of type int"),
        ([[["a"]]], [[{3}]], "sequence 1: token 1 has a label of type int"),
        ([[["a"]]], [[set()]], "sequence 1: token 1 has an empty set of labels"),
        ([[["a"]]], [["\ud800"]], "sequence 1: token 1 holds a string that is not valid Unicode"),
    ],
)
def test_malformed_labels_are_named(data: Any, labels: Any, message: str) -> None:
    with pytest.raises(DovetailError, match=message):
        Tagger().fit(data, labels)


def test_malformed_companions_are_named() -> None:
    data, labels = [[["a"]], [["b"], ["a"]]], [["X"], ["Y", "X"]]
    with pytest.raises(DataError, match="sequence 2: has the weight -1"):
        Tagger().fit(data, labels, weights=[1.0, -1.0])
    with pytest.raises(DataError, match="sequence 1: has the weight nan"):
        Tagger().fit(data, labels, weights=[float("nan"), 1.0])
    with pytest.raises(DataError, match="there are more sequences than weights: 1"):
        Tagger().fit(data, labels, weights=[1.0])
    with pytest.raises(DataError, match="sequence 2: has 2 tokens but 1 sets of allowed labels"):
        Tagger().fit(data, labels, allowed=[[None], [None]])


def test_questions_that_cannot_be_answered() -> None:
    data = [[["a"], ["b"]], [["c"]]]
    with pytest.raises(DataError, match="the model has no label 'Q'"):
        SMALL.log_likelihood(data, [["X", "Q"], ["Z"]])
    with pytest.raises(DataError, match="there are 2 sequences but 1 with labels"):
        SMALL.log_likelihood(data, [["X", "Y"]])
    with pytest.raises(DataError, match="sequence 1 has 2 tokens but 1 labels"):
        SMALL.log_likelihood(data, [["X"], ["Y", "Z"]])
    with pytest.raises(DataError, match="sequence 1 has 2 tokens but 1 sets of allowed labels"):
        SMALL.predict(data, allowed=[[None], [None, None]])
    with pytest.raises(DataError, match="sequence 2 token 1 is allowed no label that the"):
        SMALL.predict(data, allowed=[[None, {"Q", "X"}], [{"Q"}]])
    with pytest.raises(DataError, match="give a list of sequences"):
        SMALL.predict("a sentence")
    with pytest.raises(DataError, match="the model has no label 'Q'"):
        SMALL.top_weights(label="Q")
    for ask in (SMALL.predict, SMALL.tag):
        with pytest.raises(DataError, match="no decoder 'best'"):
            ask(data, decode="best")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda data: SMALL.predict_nbest(data, 0), "k is 0; give a whole number of at least 1"),
        (lambda data: SMALL.predict_nbest(data, -3), "k is -3; give a whole number of at least 1"),
        (lambda data: SMALL.predict_nbest(data, 1.5), "k is 1.5; give a whole number"),
        (lambda data: SMALL.predict_nbest(data, None), "k is None; give a whole number"),
        (lambda data: SMALL.sample(data, 0), "n is 0; give a whole number of at least 1"),
        (lambda data: SMALL.sample(data, -1), "n is -1; give a whole number of at least 1"),
        (lambda data: SMALL.sample(data, 1, seed=-1), "seed is -1; give a whole number of at le"),
        (lambda data: SMALL.sample(data, 1, seed=2**64), r"seed is \d+; give a number below 2"),
        (lambda data: SMALL.sample(data, 1, seed="x"), "seed is 'x'; give a whole number"),
    ],
)
def test_numbers_that_cannot_be(ask: Callable[[Any], Any], message: str) -> None:
    for data in ([[["a"], ["b"]], [["c"]]], []):
        with pytest.raises(DataError, match=f"^{message}"):
            ask(data)


def test_whole_numbers_of_any_type() -> None:
    data = [[["a"], ["b"]]]
    assert SMALL.predict_nbest(data, np.int64(2)) == SMALL.predict_nbest(data, 2)
    drawn = SMALL.sample(data, np.int32(3), seed=np.uint8(4))
    assert drawn == SMALL.sample(data, 3, seed=4)
    assert len(SMALL.sample(data * 3, 1, seed=2**63 - 1)) == 3


@pytest.mark.parametrize(
    "ask",
    ["predict", "predict_marginals", "tag", "explain", "to_bytes", "top_weights", "transitions"],
)
def test_a_tagger_that_is_not_trained(ask: str) -> None:
    arguments = [[]] if ask in ("predict", "predict_marginals", "tag", "explain") else []
    with pytest.raises(DovetailError, match="has not been trained: call fit, or load one"):
        getattr(Tagger(), ask)(*arguments)
