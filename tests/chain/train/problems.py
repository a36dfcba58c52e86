"""The objective of a training, beside that of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from dovetail import Dataset, Tagger
from dovetail.chain.train.fitting import Fitting
from dovetail.chain.train.objective import Objective, Precision
from dovetail.errors import TrainingError
from reference.objective import Example, Name, ReferenceObjective

SINGLE, DOUBLE = 3e-6, 1e-11  # rounding, relative to the size of what is added up
TOLERANCE: dict[Precision, float] = {"single": SINGLE, "double": DOUBLE}


class Problem:
    """A problem with its parameters by name."""

    def __init__(self, examples: Sequence[Example], **choices: Any) -> None:
        self.data = Dataset()
        for e in examples:
            self.data.append(e.tokens, e.known, allowed=e.allowed, weight=e.weight)
        self.fitting = Fitting(Tagger(**{"c2": 1.0, **choices}), self.data)
        feature, previous, label = self.fitting.problem.parameters()
        names, labels = [*self.data.native.feature_names(), None], [*self.data.labels, None]
        self.names = [
            Name(names[f], labels[x], labels[y] or "")
            for f, x, y in zip(feature, previous, label, strict=True)
        ]

    def objective(self, precision: Precision = "double", threads: int = 1) -> Objective:
        c2 = self.fitting.c2
        return Objective(self.fitting.problem, c2, precision=precision, threads=threads)


def at_zero(made: Sequence[Example], precision: Precision, **choices: Any) -> float:
    objective = Problem(made, **choices).objective(precision)
    return objective(np.zeros(objective.size))[0]


def check(
    reference: ReferenceObjective,
    weights: Callable[[int], Any],
    precisions: Sequence[Precision] = ("single", "double"),
    **choices: Any,
) -> None:
    """Same parameters, value and gradient as the reference at ``weights(number of parameters)``."""
    parameters = reference.parameters()
    if not any(name.feature for name in parameters) and (reference.min_count > 1 or not parameters):
        with pytest.raises(TrainingError, match="no feature"):
            Problem(reference.examples, c2=reference.c2, **choices)
        return
    if not np.isfinite(reference({})[0]):
        for precision in precisions:
            with pytest.raises(ValueError, match="that the constraints forbid"):
                at_zero(reference.examples, precision, **choices)
        return
    own = Problem(reference.examples, c2=reference.c2, **choices)
    assert len(set(own.names)) == len(own.names)
    assert set(own.names) == parameters
    w = np.asarray(weights(len(own.names)), np.float32).astype(np.float64)
    by_name = dict(zip(own.names, w.tolist(), strict=True))
    value, gradient = reference(by_name)
    size = 1.0 + reference.c2 * float(w @ w)
    size += sum(
        e.weight * float(np.abs(reference.chain(e, by_name).scores).max())
        for e in reference.examples
        if e.tokens
    )
    for precision in precisions:
        objective = own.objective(precision)
        found, slope = objective(w)
        close = TOLERANCE[precision] * size
        assert found == pytest.approx(value, abs=close)
        expected = [gradient[name] for name in own.names]
        np.testing.assert_allclose(slope, expected, atol=30 * close, rtol=0)


def normal(scale: float = 1.0, seed: int = 0) -> Callable[[int], Any]:
    return lambda n: scale * np.random.default_rng(seed).normal(size=n)
