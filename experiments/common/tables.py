"""Tables for a terminal, and how numbers stand in them."""

from __future__ import annotations

from rich import box
from rich.table import Table


def plain_table(*columns: str) -> Table:
    """A table without borders; the first column is text, all others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left")
    return table


def dense_table(*columns: str) -> Table:
    """The same with less room between its columns."""
    table = plain_table(*columns)
    table.padding = (0, 1, 0, 0)
    return table


def percent2(share: float) -> str:
    """A score in per cent, to a hundredth, where systems are near one another.

    >>> percent2(0.93037)
    '93.04'
    """
    return f"{100 * share:.2f}"
