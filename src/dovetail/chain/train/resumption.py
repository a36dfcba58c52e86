"""Checkpoints: a usable model, and beside it all that a training needs to go on exactly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.training import Position
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.steps import Plan, Progress, State, Step
from dovetail.errors import ModelFileError, TrainingError
from dovetail.io.description import reading_description
from dovetail.io.model_file import ModelFile, Source, open_model

KEY = "resume"  # in the facts, and how the names of the arrays begin
DTYPES = {"f4": np.float32, "f8": np.float64, "u4": np.uint32}
At = Position[Step, Progress]


class Resumed(NamedTuple):
    """Where a training goes on."""

    position: At
    state: State
    objective: State


def identify(problem: _native.Problem, plan: Plan, settings: Sequence[Any], threads: int) -> str:
    """What a training is: the same only for the same data and settings.

    The data is known by the gradient of its loss where all weights are 0.
    """
    found = hashlib.sha256()
    told = json.dumps([*settings, plan.dual_obstacle], sort_keys=True, default=str)
    found.update(told.encode())
    for part in problem.parameters():
        found.update(part.tobytes())
    gradient = np.empty(problem.n_parameters)
    kernel = _native.ObjectiveDouble(problem)
    value = kernel.evaluate(np.zeros(problem.n_parameters), gradient, 0.0, threads)
    found.update(np.float64(value).tobytes() + gradient.tobytes())
    return found.hexdigest()


def describe(
    position: At, objective: Objective, identity: str
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """The arrays and facts that a checkpoint has beside those of its model."""
    assert position.step.state is not None
    arrays: dict[str, npt.NDArray[Any]] = {f"{KEY} kept": position.kept_step.weights}
    facts = {
        "identity": identity,
        "number": position.number,
        "kept": position.kept,
        "phase": position.kept_step.phase,
        "score": position.score,
        "seconds": position.seconds,
        "history": [list(progress) for progress in position.history],
        "objective": objective.state(),
        "state": _flatten(position.step.state(), KEY, arrays),
    }
    return arrays, {KEY: facts}


def read_checkpoint(source: Source, identity: str) -> Resumed:
    """What a checkpoint holds of the training of that identity."""
    file = open_model(source, verify=True)
    facts = file.facts.get(KEY)
    if facts is None:
        raise TrainingError(
            f"{file.source} holds the model of a training that has ended, or none of a tagger: "
            "there is nothing to resume"
        )
    with reading_description(file):
        if facts["identity"] != identity:
            raise TrainingError(
                f"{file.source} is of a training with other data or settings: a training can only "
                "be resumed as it began (warm_start begins a new one with its weights)"
            )
        kept = Step(str(facts["phase"]), _read_array(file, f"{KEY} kept", "f8"))
        position = At(
            number=int(facts["number"]),
            step=kept,
            kept=int(facts["kept"]),
            kept_step=kept,
            score=float(facts["score"]),
            history=[Progress(*row) for row in facts["history"]],
            seconds=float(facts["seconds"]),
        )
        state = _unflatten(facts["state"], file)
        return Resumed(position, state, facts["objective"])


def guarded(steps: Iterator[Step], source: Source | None) -> Iterator[Step]:
    """Steps of a method; where it goes on from a file's state that does not fit, that is damage."""
    if source is None:
        yield from steps
        return
    name = "the checkpoint" if isinstance(source, bytes) else str(source)
    try:
        first = next(steps, None)
    except (_native.ImpossibleSequence, TrainingError):
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, IndexError):
        raise ModelFileError(f"{name} is damaged: the training in it cannot go on") from None
    if first is not None:
        yield first
        yield from steps


def _flatten(state: Any, name: str, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """A state as JSON holds it: arrays are named, and put with the others."""
    if isinstance(state, dict):
        return {key: _flatten(value, f"{name} {key}", arrays) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        arrays[name] = state
        return {"array": [name, state.dtype.str[1:]]}
    return state


def _unflatten(state: Any, file: ModelFile) -> Any:
    if not isinstance(state, dict):
        return state
    if set(state) == {"array"}:
        return _read_array(file, *state["array"])
    return {key: _unflatten(value, file) for key, value in state.items()}


def _read_array(file: ModelFile, name: str, dtype: str) -> npt.NDArray[Any]:
    return np.frombuffer(file.array(name), DTYPES[dtype]).copy()
