"""A training that dies and is resumed ends with the very model of one that never did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from chain.train.trained import X, Y, data, facts_and_arrays
from dovetail import Tagger
from dovetail.base import training
from dovetail.chain.train.steps import Progress
from dovetail.errors import DataError, ModelFileError, TrainingError

WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "auto, by turns": {"c2": 1e-4},
    "auto, by turns and fine": {"c2": 1e-2, "tolerance": 1e-7, "max_iterations": 150},
    "auto, L1": {"c1": 0.2, "c2": 0.01},
    "auto, strong L1": {"c1": 0.5, "c2": 1e-3},
    "auto, no dual": {"c2": 0.0, "max_iterations": 40},
    "lbfgs": {"method": "lbfgs"},
    "lbfgs, to the end": {"method": "lbfgs", "c2": 1e-3, "tolerance": 1e-12},
    "lbfgs, L1": {"method": "lbfgs", "c1": 0.5},
    "dual": {"method": "dual", "c2": 1.0},
    "sgd": {"method": "sgd"},
    "perceptron": {"method": "perceptron"},
}


class DiedError(Exception):
    """The end of the process, as far as a training can tell."""


def die_in(number: int) -> Any:
    """Die in a round, after a checkpoint of the round before."""

    def callback(progress: Progress) -> None:
        training.CHECKPOINT_SECONDS = 0.0 if progress.iteration == number - 1 else 3600.0
        if progress.iteration == number:
            raise DiedError

    return callback


@pytest.fixture(autouse=True)
def _own_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 3600.0)


def timeless(tagger: Tagger) -> list[Progress]:
    return [progress._replace(seconds=0.0) for progress in tagger.history_]


@pytest.mark.parametrize("way", WAYS)
def test_a_resumed_training_ends_with_the_same_bytes(way: str, tmp_path: Path) -> None:
    settings, path = {**WAYS[way], "threads": 1}, tmp_path / "checkpoint"
    whole = Tagger(**settings).fit(data())
    rounds = len(whole.history_)
    for number in sorted({2, 1 + rounds // 3, 1 + 2 * rounds // 3, rounds}):
        with pytest.raises(DiedError):
            Tagger(**settings).fit(data(), checkpoint=path, callback=die_in(number))
        assert json.dumps(dovetail.load(path).predict(X[:2]))
        resumed = Tagger(**settings).fit(data(), resume=path)
        assert facts_and_arrays(resumed) == facts_and_arrays(whole)
        assert timeless(resumed) == timeless(whole)
        assert resumed.history_[-1].seconds >= resumed.history_[number - 2].seconds


def test_what_held_out_data_has_chosen_is_resumed_too(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"method": "perceptron"}
    given: dict[str, Any] = {"held_out": (X[40:60], Y[40:60]), "patience": 4}
    train = X[:30], Y[:30]
    whole = Tagger(**settings).fit(*train, **given)
    assert whole.training_["kept_iteration"] < len(whole.history_)
    for number in range(2, len(whole.history_) + 1):
        with pytest.raises(DiedError):
            Tagger(**settings).fit(
                *train, **given, checkpoint=tmp_path / "c", callback=die_in(number)
            )
        resumed = Tagger(**settings).fit(*train, **given, resume=tmp_path / "c")
        assert facts_and_arrays(resumed) == facts_and_arrays(whole)


def test_a_training_may_die_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    settings: dict[str, Any] = {"c2": 1e-4}
    whole = Tagger(**settings).fit(data())
    given: dict[str, Any] = {}
    for number in range(2, len(whole.history_) + 1, 40):
        with pytest.raises(DiedError):
            Tagger(**settings).fit(data(), checkpoint=path, callback=die_in(number), **given)
        given = {"resume": path}
    ended = Tagger(**settings).fit(data(), resume=path, checkpoint=path)
    assert facts_and_arrays(ended) == facts_and_arrays(whole)
    with pytest.raises(TrainingError, match=r"a training that has ended.*nothing to resume"):
        Tagger(**settings).fit(data(), resume=path)


def test_ctrl_c_leaves_a_checkpoint_that_can_be_resumed(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 4:
            raise KeyboardInterrupt

    path = tmp_path / "checkpoint"
    stopped = Tagger().fit(data(), checkpoint=path, callback=interrupt)
    assert stopped.stopped_.startswith("interrupted")
    assert facts_and_arrays(Tagger().fit(data(), resume=path)) == facts_and_arrays(
        Tagger().fit(data())
    )


def test_only_the_same_training_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    with pytest.raises(DiedError):
        Tagger(method="lbfgs").fit(data(), checkpoint=path, callback=die_in(5))
    for other, given in (
        (Tagger(method="lbfgs", c2=2.0), data()),
        (Tagger(method="auto"), data()),
        (Tagger(method="lbfgs"), data().select(range(len(X) - 1))),
    ):
        with pytest.raises(TrainingError, match="of a training with other data or settings"):
            other.fit(given, resume=path)
    more = Tagger(method="lbfgs", max_iterations=6).fit(data(), resume=path)
    assert len(more.history_) == 6
    with pytest.raises(TrainingError, match="nothing to resume"):
        Tagger().fit(data(), resume=Tagger(max_iterations=2).fit(data()).to_bytes())


def test_a_state_that_does_not_fit_is_a_damaged_checkpoint(tmp_path: Path) -> None:
    from dovetail.io.model_file import open_model, to_bytes

    path = tmp_path / "checkpoint"
    with pytest.raises(DiedError):
        Tagger(method="sgd").fit(data(), checkpoint=path, callback=die_in(3))
    file = open_model(path)
    arrays = {name: np.frombuffer(file.array(name), np.uint8) for name in file._arrays}
    short = {**arrays, "resume descent weights": arrays["resume descent weights"][:-4]}
    missing = {name: value for name, value in arrays.items() if name != "resume kept"}
    facts = file.facts
    odd = {**facts, "resume": {**facts["resume"], "state": {"epochs": "x"}}}
    for changed, told in (
        (short, facts),
        (missing, facts),
        (arrays, odd),
        (arrays, {**facts, "resume": 3}),
    ):
        with pytest.raises(ModelFileError):
            Tagger(method="sgd").fit(data(), resume=to_bytes(changed, told))


def test_a_checkpoint_that_fails_later_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder disappears; the model does not."""
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "checkpoint"

    training.CHECKPOINT_SECONDS = 0.0

    def remove(progress: Progress) -> None:
        if progress.iteration == 3:
            path.unlink()
            folder.rmdir()

    tagger = Tagger().fit(data(), checkpoint=path, callback=remove)
    assert facts_and_arrays(tagger) == facts_and_arrays(Tagger().fit(data()))
    assert "no checkpoint of round 3, but training goes on: cannot write" in caplog.text


def test_a_checkpoint_that_can_never_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        Tagger().fit(data(), checkpoint=tmp_path / "missing" / "model")
