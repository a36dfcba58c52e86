"""Layers: independent or repelled, their columns and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.representation import (
    HMM,
    BiasedHMM,
    Distance,
    Entropy,
    LayeredHMM,
    Predict,
)
from dovetail.representation.hmm import training
from dovetail.representation.hmm.layered import _with_states
from dovetail.representation.hmm.starts import random_start
from representation.texts import news, novel

SETTINGS: dict[str, Any] = {"min_count": 1, "rounds": 10, "start": "random", "threads": 1}


def explained(layered: LayeredHMM) -> float:
    """How much of the first layer's entropy the second one explains, on the text alone."""
    corpora = [_with_states(layered.layers_[0], "first", c) for c in (news(), novel())]
    probe = BiasedHMM(6, [Predict(["first"], 0.0)], **{**SETTINGS, "rounds": 1})
    probe.fit(*corpora, warm_start=layered.layers_[1])
    return probe.history_[0].properties["predict"]


def test_layers_differ_and_have_columns_of_their_own() -> None:
    layered = LayeredHMM(3, HMM(4, **SETTINGS)).fit(news())
    found = layered.annotate(news())
    assert found.names == ("word", "pos", "half", "state1", "state2", "state3")
    a, b = (layer.parameters_.emissions for layer in layered.layers_[:2])
    assert not np.array_equal(a, b)


def test_repelled_layers_tell_less_of_each_other() -> None:
    def mean(repel: float) -> float:
        models = [LayeredHMM(2, HMM(6, **SETTINGS, seed=s), repel=repel) for s in range(3)]
        return float(np.mean([explained(model.fit(news(), novel())) for model in models]))

    assert mean(1.0) < mean(0.0) - 0.1


def test_biased_layers_are_repelled_too_and_leave_labels_out() -> None:
    of = BiasedHMM(4, [Entropy("pos"), Distance()], **SETTINGS)
    seen: list[int] = []
    layered = LayeredHMM(2, of, repel=0.3).fit(
        news(), novel(), callback=lambda layer, _: seen.append(layer)
    )
    assert set(layered.layers_[1].history_[-1].properties) == {"entropy", "distance", "predict"}
    assert set(seen) == {1, 2}
    found = layered.annotate_left_out(news(), novel())
    assert found.names == ("word", "pos", "half", "state1", "state2")


@pytest.mark.parametrize("repel", [0.0, 0.5])
def test_a_file_holds_all_layers(tmp_path: Path, repel: float) -> None:
    layered = LayeredHMM(2, HMM(3, **SETTINGS), repel=repel).fit(news())
    layered.save(tmp_path / "layers.dovetail")
    again = LayeredHMM.load(tmp_path / "layers.dovetail")
    assert again.annotate(novel()) == layered.annotate(novel())
    assert again.names_ == layered.names_
    with pytest.raises(ModelFileError, match="cut short"):
        LayeredHMM.load(layered.to_bytes()[:-100])


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(DataError, match="there cannot be 0 layers"):
        LayeredHMM(0)
    with pytest.raises(DataError, match="repel is -1"):
        LayeredHMM(2, repel=-1)
    with pytest.raises(DovetailError, match="has not been trained"):
        LayeredHMM(2).columns(news())
    with pytest.raises(ModelFileError, match="holds a hidden Markov model, not a layered"):
        LayeredHMM.load(HMM(2, **SETTINGS).fit(news()).to_bytes())


@pytest.mark.parametrize("repel", [0.0, 0.5])
def test_ctrl_c_between_rounds_keeps_the_layers_that_there_are(
    monkeypatch: pytest.MonkeyPatch, repel: float
) -> None:
    begun: list[int] = []

    def interrupted(*given: Any) -> Any:
        begun.append(1)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return random_start(*given)

    monkeypatch.setattr(training, "random_start", interrupted)
    layered = LayeredHMM(3, HMM(3, **SETTINGS), repel=repel).fit(news())
    assert layered.stopped_.startswith("interrupted")
    assert layered.names_ == ("state1",)
    assert layered.layers == 3
    again = LayeredHMM.load(layered.to_bytes())
    assert (again.names_, again.stopped_) == (layered.names_, layered.stopped_)
    assert len(layered.fit(news()).layers_) == 3


def test_layers_share_held_out_text_but_no_checkpoint(tmp_path: Path) -> None:
    layered = LayeredHMM(2, HMM(6, **{**SETTINGS, "rounds": 40, "tolerance": 0.0, "update": "em"}))
    layered.fit(news(15), held_out=news(60, seed=5), patience=1)
    assert layered.stopped_ == "no better held-out score for 1 rounds"
    with pytest.raises(TypeError, match="checkpoint"):
        layered.fit(news(), checkpoint=tmp_path / "c")  # type: ignore[call-arg]
