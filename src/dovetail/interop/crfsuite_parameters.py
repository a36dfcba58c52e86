"""CRFsuite's training parameters, and what they are for our trainers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dovetail.errors import TrainingError

ALIASES = {"averaged-perceptron": "ap", "passive-aggressive": "pa"}
UNLIMITED = 2**31 - 1

FEATURES: dict[str, Any] = {
    "feature.minfreq": 0.0,
    "feature.possible_states": False,
    "feature.possible_transitions": False,
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "lbfgs": {
        **FEATURES,
        "c1": 0.0,
        "c2": 1.0,
        "max_iterations": UNLIMITED,
        "num_memories": 6,
        "epsilon": 1e-5,
        "period": 10,
        "delta": 1e-5,
        "linesearch": "MoreThuente",
        "max_linesearch": 20,
    },
    "l2sgd": {
        **FEATURES,
        "c2": 1.0,
        "max_iterations": 1000,
        "period": 10,
        "delta": 1e-6,
        "calibration.eta": 0.1,
        "calibration.rate": 2.0,
        "calibration.samples": 1000.0,
        "calibration.candidates": 10,
        "calibration.max_trials": 20,
    },
    "ap": {**FEATURES, "max_iterations": 100, "epsilon": 0.0},
    "pa": {
        **FEATURES,
        "type": 1,
        "c": 1.0,
        "error_sensitive": True,
        "averaging": True,
        "max_iterations": 100,
        "epsilon": 0.0,
    },
    "arow": {**FEATURES, "variance": 1.0, "gamma": 1.0, "max_iterations": 100, "epsilon": 0.0},
}
METHODS = {  # of our taggers; the online learners of CRFsuite are all near the perceptron
    "lbfgs": "lbfgs",
    "l2sgd": "sgd",
    "ap": "perceptron",
    "pa": "perceptron",
    "arow": "perceptron",
}
MEANINGS = {
    "feature.minfreq": "Features that occur less often are left out.",
    "feature.possible_states": "Weights for every attribute and label, seen together or not.",
    "feature.possible_transitions": "Weights for every move from label to label, seen or not.",
    "c1": "Strength of the L1 penalty.",
    "c2": "Strength of the L2 penalty.",
    "max_iterations": "The most rounds of training.",
    "delta": "Stop when the objective is known to be within this of its minimum, relative to it.",
}
WITHOUT_EFFECT = "Accepted, and without effect: training here does not need it."


def find_algorithm(name: str) -> str:
    """CRFsuite's short name of an algorithm that we have."""
    short = ALIASES.get(name.lower(), name.lower())
    if short not in DEFAULTS:
        raise TrainingError(f"there is no algorithm '{name}'; use one of {', '.join(DEFAULTS)}")
    return short


def convert_like(default: Any, name: str, value: Any) -> Any:
    """A value, possibly a string, as the type that the parameter has."""
    kind = type(default)
    try:
        made = bool(int(value)) if kind is bool else kind(value)
    except (TypeError, ValueError, OverflowError):
        made = None
    if made is None or (kind is float and not math.isfinite(made)):
        raise TrainingError(f"{name} is {value!r}; give a value such as {default!r}")
    return made


def first_round_evaluates(algorithm: str, given: Mapping[str, Any]) -> bool:
    """Whether our first round only evaluates the start, which CRFsuite does not count."""
    limit = given["max_iterations"]
    return algorithm == "lbfgs" and 0 < limit != DEFAULTS[algorithm]["max_iterations"]


def tagger_settings(algorithm: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of `dovetail.Tagger` for CRFsuite's parameters.

    The objectives of lbfgs and l2sgd are the same, so both are trained by what is best for it,
    unless a number of iterations is asked for. Online learners have no penalty.
    """
    limit = given["max_iterations"]
    limited = limit != DEFAULTS[algorithm]["max_iterations"]
    look = first_round_evaluates(algorithm, given)
    method = METHODS[algorithm]
    return {
        "method": method if limited or method == "perceptron" else "auto",
        "c1": given.get("c1", 0.0),
        "c2": given.get("c2", 0.0),
        "tolerance": max(given.get("delta", 0.0), 1e-8),
        "max_iterations": limit + look if limited else None,
        "min_count": max(1, math.ceil(given["feature.minfreq"])),
        "all_pairs": given["feature.possible_states"],
        "all_transitions": given["feature.possible_transitions"],
        "boundaries": False,
    }
