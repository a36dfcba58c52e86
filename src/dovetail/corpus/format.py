"""What there is to say of a file format: how it is read and written, and what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dovetail.corpus.table import Corpus


@dataclass(frozen=True)
class Option:
    """An option of a format's reader or writer, as the command line offers it.

    ``parse`` makes of what was given the value that the function takes.
    """

    name: str
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    parse: Callable[[str], Any] = str


@dataclass(frozen=True)
class Carries:
    """What a format holds beside words: of labels any, ``spans`` of a text, ``plain`` ones, or
    spans and plain ones apart, the latter as ``tags``.

    ``columns`` are those it has room for, None if any; ``text`` tells whether there is one,
    ``needs_text`` and ``needs_labels`` whether there has to be. ``unlabelled`` tells whether a
    sequence without labels differs from one without spans. ``find_other_losses`` has phrases for a
    person on what else of a corpus gets lost.
    """

    columns: tuple[str, ...] | None = None
    labels: Literal["any", "spans", "plain", "tags"] = "any"
    text: bool = True
    needs_text: bool = False
    needs_labels: bool = False
    documents: bool = True
    unlabelled: bool = True
    find_other_losses: Callable[[Corpus], list[str]] = lambda _: []


@dataclass(frozen=True)
class Format:
    """How to read one format, and the suffixes it is known by; how to write it, if that can be.

    ``read_options`` and ``write_options`` are those that `dovetail convert` offers. ``recognizes``
    tells files that belong to this format though their names do not say so, or say another.
    ``find_unread`` has phrases for a person on what of a file is passed over.
    """

    read: Callable[..., Corpus]
    stream: Callable[..., Iterator[Corpus]]
    suffixes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    carries: Carries = Carries()
    read_options: tuple[Option, ...] = ()
    write_options: tuple[Option, ...] = ()
    recognizes: Callable[[Path], bool] = lambda _: False
    find_unread: Callable[[Any], list[str]] = lambda _: []
    from_stdin: bool = True
    to_stdout: bool = True
