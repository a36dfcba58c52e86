"""The file of a hidden Markov model: settings, vocabulary, parameters, and what training needs to
go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.base.training import Position
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.representation.file import (
    RepresentationFile,
    open_representation_file,
    read_vocabulary,
    to_bytes,
    vocabulary_arrays,
)
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.steps import Progress, Step

if TYPE_CHECKING:
    from dovetail.representation.hmm.hmm import HMM


def write_hmm(hmm: HMM, position: Position[Step, Progress] | None = None) -> bytes:
    """The whole file in memory; with a position, that of a checkpoint."""
    arrays: dict[str, Any] = {
        **_parameter_arrays(hmm.parameters_),
        **{f"memory {name}": np.asarray(v, np.float64) for name, v in hmm.memory_.items()},
        **vocabulary_arrays(hmm.vocabulary_),
    }
    facts = {
        "settings": hmm._saved_parameters(),
        "memory": {name: list(values.shape) for name, values in hmm.memory_.items()},
        "rounds": hmm.rounds_,
        "stopped": getattr(hmm, "stopped_", ""),
    }
    if position is not None:
        for name, step in _steps_of(position).items():
            arrays |= _parameter_arrays(step.parameters, f"{name} ")
            arrays |= {f"{name} memory {key}": value for key, value in step.memory.items()}
        facts["resume"] = _describe(position)
    return to_bytes(hmm.kind, arrays, facts)


def read_hmm(cls: type[HMM], source: Source | ModelFile, threads: int | None) -> Any:
    """The model in a file."""
    with open_representation_file(source, cls.kind) as file:
        saved = {**cls._restored_parameters(file.facts["settings"]), "threads": threads}
        made = cls(**saved)
        made.vocabulary_ = read_vocabulary(file)
        made.parameters_ = _read_parameters(file, made.states, len(made.vocabulary_))
        made.memory_ = {
            name: file.numbers(f"memory {name}", np.float64, tuple(shape))
            for name, shape in file.facts["memory"].items()
        }
        made.rounds_ = int(file.facts["rounds"])
        made.stopped_ = str(file.facts["stopped"])
        made.history_ = []
    return made


def read_position(source: Source) -> Position[Step, Progress] | None:
    """Where the training stood that wrote a checkpoint; None for the model of one that ended."""
    model = open_model(source, verify=True)
    if model.facts.get("resume") is None:
        return None
    with open_representation_file(model, model.kind) as file:
        facts = file.facts["resume"]
        k, v = int(file.facts["settings"]["states"]), len(read_vocabulary(file))
        steps = {
            name: Step(
                _read_parameters(file, k, v, f"{name} "),
                float(about["log_likelihood"]),
                memory={
                    key: file.numbers(f"{name} memory {key}", MEMORY[dtype], tuple(shape))
                    for key, (dtype, shape) in about["memory"].items()
                },
            )
            for name, about in facts["steps"].items()
        }
        return Position(
            number=int(facts["number"]),
            step=steps["latest"],
            kept=int(facts["kept"]),
            kept_step=steps.get("kept", steps["latest"]),
            score=float(facts["score"]),
            history=[Progress(*row) for row in facts["history"]],
            seconds=float(facts["seconds"]),
        )


MEMORY = {"f4": np.float32, "f8": np.float64}


def _steps_of(position: Position[Step, Progress]) -> dict[str, Step]:
    same = position.kept == position.number
    return {"latest": position.step, **({} if same else {"kept": position.kept_step})}


def _describe(position: Position[Step, Progress]) -> dict[str, Any]:
    return {
        "number": position.number,
        "kept": position.kept,
        "score": position.score,
        "seconds": position.seconds,
        "history": [list(progress) for progress in position.history],
        "steps": {
            name: {
                "log_likelihood": step.log_likelihood,
                "memory": {
                    key: [value.dtype.str[1:], list(value.shape)]
                    for key, value in step.memory.items()
                },
            }
            for name, step in _steps_of(position).items()
        },
    }


def _parameter_arrays(at: Parameters, prefix: str = "") -> dict[str, Any]:
    return {
        f"{prefix}start": at.start,
        f"{prefix}transitions": at.transitions,
        f"{prefix}emissions": at.emissions,
    }


def _read_parameters(
    file: RepresentationFile, states: int, words: int, prefix: str = ""
) -> Parameters:
    return Parameters(
        file.numbers(f"{prefix}start", np.float64, (states,)),
        file.numbers(f"{prefix}transitions", np.float64, (states, states)),
        file.numbers(f"{prefix}emissions", np.float64, (words, states)),
    )
