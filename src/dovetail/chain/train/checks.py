"""What is checked before a training begins: parameters, and what the method can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dovetail.chain.train.methods import find_method
from dovetail.errors import TrainingError
from dovetail.features import Dataset

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger


def check_training(tagger: Tagger, data: Dataset) -> None:
    """Refuse parameters that make no sense, and methods that cannot do what is asked of them."""
    if not data.n_tokens:
        raise TrainingError("there is no training data: it has no tokens")
    if not data.labels:
        raise TrainingError("the training data has no labels")
    for name in ("c1", "c2"):
        value = getattr(tagger, name)
        if name == "c2" and value == "auto":
            continue
        if not (np.isfinite(value) and value >= 0):
            ways = "auto or a number" if name == "c2" else "a number"
            raise TrainingError(f"{name} is {value}; give {ways} of at least 0")
    if not tagger.tolerance > 0:
        raise TrainingError(f"tolerance is {tagger.tolerance}; give a number above 0")
    if tagger.precision not in ("single", "double"):
        raise TrainingError(f"there is no precision '{tagger.precision}': single or double")
    for name, least in (("min_count", 0), ("seed", 0), ("max_iterations", 1)):
        number = getattr(tagger, name)
        if number is not None and number < least:
            raise TrainingError(f"{name} is {number}; give a number of at least {least}")
    _check_method(tagger, data)


def _check_method(tagger: Tagger, data: Dataset) -> None:
    method = find_method(tagger.method)
    what = f"the method '{tagger.method}'"
    if tagger.c1 and not method.l1:
        raise TrainingError(f"{what} has no L1 penalty; use auto or lbfgs")
    if (tagger.label_weights or data.native.weighted) and not method.weights:
        raise TrainingError(f"{what} knows no weights of sequences or labels; use auto")
    if not (method.partial_labels or data.native.fully_labelled):
        raise TrainingError(f"{what} needs every label; use auto for partial labels")
