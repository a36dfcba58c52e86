"""Lists of words and of entries of several words, found in text as it runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from dovetail import _native
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text


class Lexicon:
    """Entries, each a string of one or more words; in a text the longest entry is found first.

    ``column("word").lexicon("cities")`` is ``B`` where an entry of the template's lexicon "cities"
    begins and ``I`` where one goes on. Entries are compared as they are: for a lexicon in lower
    case say ``column("word").lower.lexicon("cities")``.

    >>> Lexicon(["New York", "Rome"])
    <Lexicon: 2 entries>
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        for number, entry in enumerate(self.entries, start=1):
            if not isinstance(entry, str) or not entry.strip():
                raise DataError(f"entry {number} of the lexicon is {entry!r}; give words")

    @classmethod
    def from_file(cls, path: PathLike, *, lower: bool = False) -> Lexicon:
        """Read a file of one entry a line; blank lines and those that begin with # are skipped."""
        with open_text(path) as file:
            lines = [line.strip() for line in file]
        entries = [line for line in lines if line and not line.startswith("#")]
        return cls(entries).lower() if lower else cls(entries)

    def lower(self) -> Lexicon:
        """The same in lower case, letter by letter as templates do it."""
        return Lexicon("".join(map(str.lower, entry)) for entry in self.entries)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The entries as tokens with blanks between, for every way in which a text may be cut:
        at blanks alone (``St. Louis``), or as `dovetail.corpus.tokenize` does (``St . Louis``).
        """
        from dovetail.corpus import tokenize

        made: dict[str, None] = {}
        for entry in self.entries:
            made[" ".join(entry.split())] = None
            made[" ".join(entry[start:end] for start, end in tokenize(entry))] = None
        return tuple(made)

    @cached_property
    def native(self) -> _native.Lexicon:
        return _native.Lexicon([form.split(" ") for form in self.forms])

    def spec(self) -> list[str]:
        """The lexicon as plain data: its forms, so that reading it back needs no tokenizer."""
        return list(self.forms)

    @classmethod
    def from_spec(cls, spec: Iterable[str]) -> Lexicon:
        lexicon = cls(spec)
        lexicon.forms = lexicon.entries
        return lexicon

    def __len__(self) -> int:
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and set(self.forms) == set(other.forms)

    def __hash__(self) -> int:
        return hash(frozenset(self.forms))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "native"}

    def __repr__(self) -> str:
        return f"<Lexicon: {len(self)} entries>"
