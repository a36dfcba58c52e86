"""The file of a hidden Markov model: settings, vocabulary, parameters, and what training needs to
go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.representation.file import (
    Source,
    opened,
    to_bytes,
    vocabulary_arrays,
    vocabulary_in,
)
from dovetail.representation.parameters import Parameters

if TYPE_CHECKING:
    from dovetail.representation.hmm import HMM


def kind_of(cls: type[HMM]) -> str:
    return "hidden Markov model" if cls.__name__ == "HMM" else "biased hidden Markov model"


def hmm_bytes(hmm: HMM) -> bytes:
    """The whole file in memory."""
    at = hmm.parameters_
    arrays: dict[str, Any] = {
        "start": at.start,
        "transitions": at.transitions,
        "emissions": at.emissions,
        **{f"memory {name}": np.asarray(v, np.float64) for name, v in hmm.memory_.items()},
        **vocabulary_arrays(hmm.vocabulary_),
    }
    facts = {
        "settings": hmm._saved_settings(),
        "memory": {name: list(values.shape) for name, values in hmm.memory_.items()},
        "rounds": hmm.rounds_,
        "stopped": getattr(hmm, "stopped_", ""),
    }
    return to_bytes(kind_of(type(hmm)), arrays, facts)


def hmm_in(cls: type[HMM], source: Source) -> Any:
    """The model in a file."""
    with opened(source, kind_of(cls)) as file:
        made = cls(**cls._restored_settings(file.facts["settings"]))
        made.vocabulary_ = vocabulary_in(file)
        k, v = made.settings["states"], len(made.vocabulary_)
        made.parameters_ = Parameters(
            file.numbers("start", np.float64, (k,)),
            file.numbers("transitions", np.float64, (k, k)),
            file.numbers("emissions", np.float64, (v, k)),
        )
        made.memory_ = {
            name: file.numbers(f"memory {name}", np.float64, tuple(shape))
            for name, shape in file.facts["memory"].items()
        }
        made.rounds_ = int(file.facts["rounds"])
        made.stopped_ = str(file.facts["stopped"])
        made.history_ = []
    return made
