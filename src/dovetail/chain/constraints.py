"""Which label sequences are legal, in training and in decoding."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dovetail.corpus.schemes import Scheme as AnyScheme
from dovetail.corpus.schemes import allowed_transitions
from dovetail.errors import DataError, TrainingError
from dovetail.features import Dataset

Scheme = Literal["IOB1", "IOB2", "IOBES"]
Bytes = npt.NDArray[np.uint8]
NOTHING: Bytes = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class Constraints:
    """Legal transitions between labels, and labels that a sequence may start and end with.

    ``follow`` maps a label to the labels that may come after it; labels it does not name are free.
    ``scheme`` adds the transitions of IOB1, IOB2 or IOBES.

    >>> rule = Constraints(follow={"A": {"B"}}, start={"A", "C"})
    >>> rule.matrix(["A", "B", "C"]).transitions
    array([[0, 1, 0],
           [1, 1, 1],
           [1, 1, 1]], dtype=uint8)
    """

    follow: Mapping[str, Collection[str]] | None = None
    start: Collection[str] | None = None
    end: Collection[str] | None = None
    scheme: Scheme | None = None

    def matrix(self, labels: Sequence[str]) -> ConstraintMatrix:
        """These constraints as arrays over the given labels."""
        self._check(labels)
        n = len(labels)
        transitions = np.ones((n, n), np.uint8)
        start, end = np.ones(n, np.uint8), np.ones(n, np.uint8)
        if self.scheme is not None:
            legal = allowed_transitions(labels, self.scheme)
            transitions &= np.asarray(legal.transitions, np.uint8)
            start &= np.asarray(legal.start, np.uint8)
            end &= np.asarray(legal.end, np.uint8)
        for before, allowed in (self.follow or {}).items():
            transitions[labels.index(before)] &= _members(labels, allowed)
        if self.start is not None:
            start &= _members(labels, self.start)
        if self.end is not None:
            end &= _members(labels, self.end)
        return ConstraintMatrix(transitions, start, end)

    def _check(self, labels: Sequence[str]) -> None:
        named = set(self.follow or ()) | set(self.start or ()) | set(self.end or ())
        named |= {label for allowed in (self.follow or {}).values() for label in allowed}
        unknown = sorted(named - set(labels))
        if unknown:
            raise TrainingError(
                f"the constraints name the label '{unknown[0]}', which the data does not have "
                f"(it has {', '.join(sorted(labels))})"
            )


def _members(labels: Sequence[str], chosen: Collection[str]) -> Bytes:
    return np.array([label in chosen for label in labels], np.uint8)


@dataclass(frozen=True)
class ConstraintMatrix:
    """Constraints as arrays: transitions [L, L], start [L], end [L], 1 where legal."""

    transitions: Bytes
    start: Bytes
    end: Bytes

    def arrays(self) -> tuple[Bytes, Bytes, Bytes]:
        """Flat arrays for the kernels, empty where nothing is forbidden."""
        parts = (self.transitions.ravel(), self.start, self.end)
        flat = [NOTHING if part.all() else np.ascontiguousarray(part) for part in parts]
        return flat[0], flat[1], flat[2]


def infer_scheme(data: Dataset, *, lenient: bool = False) -> AnyScheme:
    """The span scheme that all transitions between labels of the data obey, or "none".

    ``lenient``: where a few transitions are malformed, the first scheme that has all the labels.
    """
    transitions, start, end = data.native.observed_transitions()
    labels = data.labels
    possible: list[AnyScheme] = []
    for scheme in SPAN_SCHEMES:
        try:
            legal = allowed_transitions(labels, scheme)
        except DataError:
            continue
        possible.append(scheme)
        inside = transitions.reshape(legal.transitions.shape) <= legal.transitions
        if inside.all() and (start <= legal.start).all() and (end <= legal.end).all():
            return scheme
    return possible[0] if lenient and possible else "none"


SPAN_SCHEMES: tuple[Scheme, ...] = ("IOB2", "IOBES", "IOB1")


def choose_scheme(
    constraints: Constraints | Scheme | Literal["auto"] | None, data: Dataset
) -> Constraints | Scheme | None:
    """What a user gave, where "auto" is the scheme that the data obeys, None if it obeys none."""
    if constraints != "auto":
        return constraints
    scheme = infer_scheme(data)
    return None if scheme == "none" else scheme


def name_constraints(constraints: Constraints | Scheme | None) -> str:
    """Constraints for people: a scheme, "none", or "custom" where they are a user's own."""
    if constraints is None:
        return "none"
    return constraints if isinstance(constraints, str) else "custom"


def resolve(constraints: Constraints | Scheme | None, data: Dataset) -> ConstraintMatrix | None:
    """Constraints as arrays over the data's labels; None where nothing is constrained."""
    if constraints is None:
        return None
    if isinstance(constraints, str):
        constraints = Constraints(scheme=constraints)
    return constraints.matrix(data.labels)
