"""The registry of biases: what files, recipes and the command line know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dovetail import representation
from dovetail.cli.represent import command as represent
from dovetail.cli.tune import command as tune
from dovetail.errors import DataError
from dovetail.recipe.schema.representations import REPRESENTATION_KINDS
from dovetail.representation import Distance, Entropy, Predict, TokenCost
from dovetail.representation.bias.registry import (
    OFFERED,
    PROPERTIES,
    find_label_columns,
    make_properties,
    restore_properties,
)


def test_all_properties_are_exported() -> None:
    assert {kind.__name__ for kind in PROPERTIES} <= set(representation.__all__)


def test_offered_weights_are_keys_of_recipes_and_options_of_commands() -> None:
    for kind in ("biased", "layered"):
        assert set(OFFERED) <= set(REPRESENTATION_KINDS[kind])
    for command in (represent, tune):
        assert set(OFFERED) <= {option.name for option in command.params}


@pytest.mark.parametrize("one", [Entropy("pos", 0.2), Distance(0.7), Predict(["a", "b"], 0.4)])
def test_files_hold_properties(one: Any) -> None:
    [again] = restore_properties([json.loads(json.dumps(one.spec()))])
    assert again == one


def test_a_file_holds_no_function() -> None:
    [lost] = restore_properties([TokenCost(lambda _corpus, _n: [[0.0]]).spec()])
    with pytest.raises(DataError, match="a file does not hold the TokenCost"):
        lost.cost(None, 3)


def test_biases_are_asked_for_by_labels_or_by_weights() -> None:
    assert make_properties("pos", {"entropy": 0.5}) == [Entropy("pos", 0.5)]
    assert make_properties("pos", {}) == [Entropy("pos")]
    assert make_properties(None, {"distance": 0.1}) == [Distance(0.1)]
    with pytest.raises(DataError, match="name their column by labels"):
        make_properties(None, {"entropy": 0.5})


def test_labels_that_have_no_weight_are_not_seen() -> None:
    assert find_label_columns([Entropy("pos", 0.0), Distance()]) == ()
    assert find_label_columns([Distance(), Entropy("pos")]) == ("pos",)
