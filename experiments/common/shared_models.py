"""Models that several systems of one split and size share, each trained when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail.compare import Cell


class SharedModels:
    """What was made for the last split and size; that of others is forgotten."""

    def __init__(self) -> None:
        self._place = (-1, -1)
        self._models: dict[str, Any] = {}

    def get(self, cell: Cell, name: str, make: Callable[[], Any]) -> Any:
        """The model of that name, made now if it is not there."""
        if self._place != (cell.split, cell.size):
            self._place, self._models = (cell.split, cell.size), {}
        if name not in self._models:
            self._models[name] = make()
        return self._models[name]
