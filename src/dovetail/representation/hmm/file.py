"""The file of a hidden Markov model: settings, vocabulary, parameters, and what training needs to
go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.file import (
    opened,
    to_bytes,
    vocabulary_arrays,
    vocabulary_in,
)
from dovetail.representation.hmm.parameters import Parameters

if TYPE_CHECKING:
    from dovetail.representation.hmm.hmm import HMM


def write_hmm(hmm: HMM) -> bytes:
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
        "settings": hmm._saved_parameters(),
        "memory": {name: list(values.shape) for name, values in hmm.memory_.items()},
        "rounds": hmm.rounds_,
        "stopped": getattr(hmm, "stopped_", ""),
    }
    return to_bytes(hmm.kind, arrays, facts)


def read_hmm(cls: type[HMM], source: Source | ModelFile, threads: int | None) -> Any:
    """The model in a file."""
    with opened(source, cls.kind) as file:
        saved = {**cls._restored_parameters(file.facts["settings"]), "threads": threads}
        made = cls(**saved)
        made.vocabulary_ = vocabulary_in(file)
        k, v = made.states, len(made.vocabulary_)
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
