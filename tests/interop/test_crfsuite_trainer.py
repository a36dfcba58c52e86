"""What python-crfsuite's trainer and tagger take for data, and do with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dovetail.errors import DataError
from dovetail.interop import pycrfsuite as ours

theirs = pytest.importorskip("pycrfsuite")
BOTH = pytest.mark.parametrize("module", [ours, theirs], ids=["ours", "theirs"])


@BOTH
def test_data_is_kept_as_it_was_given(module: Any, tmp_path: Path) -> None:
    trainer = module.Trainer(verbose=False)
    item: dict[str, Any] = {"a": {"b": 1.0}}
    for label in "AB":
        trainer.append([item], [label])
        item["a"].clear()
        item["c"] = 1.0
    trainer.train(str(tmp_path / "model"))
    tagger = module.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert set(tagger.info().state_features) == {("a:b", "A"), ("c", "B")}


@BOTH
def test_bytes_for_labels_and_held_out_features(module: Any, tmp_path: Path) -> None:
    trainer = module.Trainer(verbose=False)
    for group in (0, 1):
        trainer.append([[b"a"], [b"b"]], [b"A", "B"], group)
    trainer.train(str(tmp_path / "model"), holdout=1)
    assert trainer.logparser.last_iteration["item_accuracy_float"] == 1
    tagger = module.Tagger()
    tagger.open(str(tmp_path / "model"))
    tagger.set([[b"a"], ["b"]])
    assert tagger.probability([b"A", "B"]) == tagger.probability(["A", "B"])
    assert tagger.marginal(b"A", 0) == tagger.marginal("A", 0)


@BOTH
def test_a_single_iteration_learns(module: Any, tmp_path: Path) -> None:
    trainer = module.Trainer(verbose=False, params={"max_iterations": 1})
    trainer.append([["a"], ["b"]], ["A", "B"])
    trainer.train(str(tmp_path / "model"))
    tagger = module.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.tag([["b"]]) == ["B"]


@pytest.mark.parametrize("label", [None, 1, {"A", "B"}])
def test_labels_are_strings(label: Any, tmp_path: Path) -> None:
    trainer = ours.Trainer(verbose=False)
    trainer.append([["a"]], ["A"])
    trainer.train(tmp_path / "model")
    tagger = ours.Tagger()
    tagger.open(tmp_path / "model")
    tagger.set([["a"]])
    for wrong in (
        lambda: ours.Trainer().append([["a"]], [label]),
        lambda: tagger.probability([label]),
        lambda: tagger.marginal(label, 0),
    ):
        with pytest.raises(DataError, match="give a string"):
            wrong()
