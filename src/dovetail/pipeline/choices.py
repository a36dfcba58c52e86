"""The names of what can be chosen: light, for those who only offer the choice.

A system that can be compared is a way to decode, or ``stacked``.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from dovetail.errors import DataError

Decode = Literal["none", "cascade", "soft", "lattice", "joint", "auto"]
Training = Literal["cascade", "soft", "lattice", "gold", "joint", "auto"]
System = Literal[Decode, "stacked"]

DECODINGS: tuple[Decode, ...] = get_args(Decode)
TRAININGS: tuple[Training, ...] = get_args(Training)
SYSTEMS: tuple[System, ...] = get_args(System)
PROBABILISTIC = ("soft", "lattice", "joint", "auto")  # need layers that are calibrated


def check_choice(what: str, given: str, names: Sequence[str]) -> None:
    """Refuse what cannot be chosen.

    >>> check_choice("method", "magic", ["auto", "exact"])
    Traceback (most recent call last):
        ...
    dovetail.errors.DataError: there is no method 'magic'; choose from auto, exact
    """
    if given not in names:
        raise DataError(f"there is no {what} '{given}'; choose from {', '.join(names)}")
