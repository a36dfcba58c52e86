"""Tables of outside knowledge about words: a cluster, a radical, an entry of a dictionary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text


class Table:
    """For each value the one or more strings that it stands for.

    ``column("word").table("clusters")`` is what the template's table "clusters" has for the word,
    and nothing where it has nothing.

    >>> Table({"Rome": "city", "May": ["month", "name"]})
    <Table: 2 values>
    """

    def __init__(self, entries: Mapping[str, str | Iterable[str]]) -> None:
        self.entries = {
            value: (known,) if isinstance(known, str) else tuple(known)
            for value, known in entries.items()
        }
        for value, known in self.entries.items():
            if not isinstance(value, str) or not all(isinstance(k, str) for k in known):
                raise DataError(f"the table has {known!r} for {value!r}; give strings")

    @classmethod
    def from_file(cls, path: PathLike) -> Table:
        """Read lines of a value, a tab and a string; a value may have several lines."""
        entries: dict[str, list[str]] = {}
        with open_text(path) as file:
            for number, line in enumerate(file, start=1):
                value, tab, known = line.rstrip("\n").partition("\t")
                if not line.strip():
                    continue
                if not tab or not value or not known:
                    raise DataError(
                        f"{os.fspath(path)}:{number} is not a value, a tab and a string"
                    )
                entries.setdefault(value, []).append(known)
        return cls(entries)

    def __call__(self, value: str) -> tuple[str, ...]:
        return self.entries.get(value, ())

    def spec(self) -> dict[str, list[str]]:
        """The table as plain data."""
        return {value: list(known) for value, known in self.entries.items()}

    def __len__(self) -> int:
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.entries == other.entries

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Table: {len(self)} values>"
