"""Settings for groups of features, chosen by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dovetail.errors import TrainingError

SMALLEST_PRIOR, LARGEST_PRIOR = 1e-18, 1e18  # single precision holds their squares too
ON_LABELS, ON_TRANSITIONS, ON_ALL_LABELS = 1, 2, 4
ROLES = {"labels": ON_LABELS, "transitions": ON_TRANSITIONS, "both": ON_LABELS | ON_TRANSITIONS}


@dataclass(frozen=True)
class FeatureGroup:
    """Features whose name matches a pattern (``lex=*``), with settings of their own.

    ``prior`` widens (above 1) or narrows their Gaussian prior: its standard deviation is multiplied
    by it, so that a few strong features need not starve many weak ones, nor be starved by the
    penalty themselves. ``on`` says whether they weigh on labels, on moves between labels, or on
    both.
    """

    pattern: str
    prior: float = 1.0
    on: Literal["labels", "transitions", "both"] = "labels"

    def __post_init__(self) -> None:
        if not SMALLEST_PRIOR <= self.prior <= LARGEST_PRIOR:
            raise TrainingError(
                f"the group '{self.pattern}' has a prior of {self.prior}; give a number from "
                f"{SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g}"
            )
        if self.on not in ROLES:
            raise TrainingError(
                f"the group '{self.pattern}' is on '{self.on}'; give labels, transitions or both"
            )
