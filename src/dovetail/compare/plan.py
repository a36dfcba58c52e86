"""What is to be trained and scored: every system on every split at every training size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.errors import DataError

Result = dict[str, Any]
"""What one cell gave, as plain data.

``system``, ``split``, ``size``: of the cell; ``overall``: precision, recall and f1; ``types``: the
same for each type of span or label; ``n_train``, ``n_test``: how many sequences or documents were
trained and tested on; ``seconds``. Where splits are samples of one training text, ``overlap`` is
the number of its units that a sample has over that of the others.
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One system, trained on the first ``size`` units of the training part of a split."""

    system: str
    split: int
    size: int

    @property
    def id(self) -> str:
        """A name that no other cell of a plan has.

        >>> Cell("joint", 0, 242).id
        'joint, split 0, size 242'
        """
        return f"{self.system}, split {self.split}, size {self.size}"


@dataclass(frozen=True)
class Plan:
    """Systems x splits x sizes; the sizes ``once`` are all that there is to train on, the same in
    every split, so they belong to the first alone.

    >>> plan = Plan(["none", "joint"], n_splits=5, sizes=[50, 100])
    >>> len(plan.cells)
    20
    """

    systems: Sequence[str]
    n_splits: int
    sizes: Sequence[int]
    once: Sequence[int] = ()

    def __post_init__(self) -> None:
        if not self.systems or self.n_splits < 1 or not self.sizes:
            raise DataError("a comparison needs at least one system, one split and one size")
        for what, values in (("system", self.systems), ("size", self.sizes)):
            twice = next((value for value in values if list(values).count(value) > 1), None)
            if twice is not None:
                raise DataError(f"the {what} {twice} is there twice in the comparison")
        if min(self.sizes) < 1:
            raise DataError(f"a training size must be at least 1, not {min(self.sizes)}")

    @property
    def cells(self) -> list[Cell]:
        """All cells: split by split, the full size first, so that early results can be compared."""
        return [
            Cell(system, split, size)
            for split in range(self.n_splits)
            for size in sorted(self.sizes, reverse=True)
            if not (split and size in self.once)
            for system in self.systems
        ]
