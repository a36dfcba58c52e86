"""The table of training methods."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from dovetail import Dataset, Tagger
from dovetail.chain.train.methods import METHODS, Method, TrainingMethod
from dovetail.errors import TrainingError
from dovetail.recipe.schema.tagger import TAGGER

SEQUENCES, LABELS = [[["a"], ["b"]], [["b"]]], [["X", "Y"], ["Y"]]


def test_names_choices_and_table_are_the_same() -> None:
    assert tuple(METHODS) == get_args(Method)
    assert all(TAGGER["method"].type.accepts(name) for name in METHODS)


def attempt(data: Dataset, **parameters: Any) -> bool:
    try:
        Tagger(max_iterations=1, **parameters).fit(data)
    except TrainingError as error:
        if f"the method '{parameters['method']}'" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize(("name", "method"), METHODS.items())
def test_a_method_refuses_exactly_what_it_cannot_do(name: Method, method: TrainingMethod) -> None:
    plain = Dataset.from_lists(SEQUENCES, LABELS)
    assert attempt(plain, method=name)
    assert attempt(plain, method=name, c1=0.1) == method.l1
    assert attempt(plain, method=name, label_weights={"X": 2.0}) == method.weights
    weighted = Dataset.from_lists(SEQUENCES, LABELS, weights=[2.0, 1.0])
    assert attempt(weighted, method=name) == method.weights
    partial = Dataset.from_lists(SEQUENCES, [["X", None], ["Y"]])
    assert attempt(partial, method=name) == method.partial_labels
