"""Data to train on, the least value of its objective, and what a trained tagger comes to."""

from __future__ import annotations

import json
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dovetail import Dataset, Tagger
from dovetail.chain.train.fitting import Fitting
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.warm_start import transfer_weights
from reference.announcements import announcements

X, Y = announcements("train", 60)


@cache
def data() -> Dataset:
    return Dataset.from_lists(X, Y)


def objective_of(c2: float, **choices: Any) -> Objective:
    problem = Fitting(Tagger(c2=c2, **choices), data()).problem
    return Objective(problem, c2, precision="double", threads=1)


@cache
def optimum(c2: float) -> float:
    """The least value of the objective, found by another optimiser."""
    objective = objective_of(c2)
    options = {"maxiter": 2000, "maxfun": 3000, "ftol": 1e-13, "gtol": 1e-7, "maxcor": 20}
    found = minimize(
        objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", options=options
    )
    assert np.abs(found.jac).max() < 1e-4
    return float(found.fun)


def weights_of(tagger: Tagger, objective: Objective) -> Any:
    parameters = objective.problem.parameters()
    return transfer_weights(tagger.model_, data(), parameters, np.ones(objective.size))


def value_of(tagger: Tagger, c2: float) -> float:
    objective = objective_of(c2)
    return objective(weights_of(tagger, objective))[0]


def accuracy(predicted: list[list[str]], gold: list[list[str]]) -> float:
    pairs = zip(chain(*predicted), chain(*gold), strict=True)
    return float(np.mean([one == other for one, other in pairs]))


def facts_and_arrays(tagger: Tagger) -> tuple[dict[str, Any], bytes]:
    """A model file's description, without times, and the bytes of its arrays."""
    content = tagger.to_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__")
    facts = json.loads(metadata["facts"])
    del facts["training"]["seconds"]
    return {"facts": facts, "checksums": metadata["checksums"], **header}, content[8 + length :]
