"""Labelled or plain data from files or standard input, as the commands share it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import click

from dovetail.cli.feature_text import read_feature_text
from dovetail.corpus import FORMATS, UNITS, Corpus, format_of, stream
from dovetail.corpus.conll import parse_columns
from dovetail.corpus.formats import concatenate_files, read_filled
from dovetail.errors import DataError

CRFSUITE = "crfsuite"
Function = TypeVar("Function", bound=Callable[..., Any])


def input_options(function: Function) -> Function:
    """The options that tell how data is read."""
    function = click.option(
        "--columns",
        metavar="A,B,...",
        help="Names of the columns of a CoNLL file; an empty name or _ skips a column.",
    )(function)
    return click.option(
        "--format",
        type=click.Choice([*FORMATS, CRFSUITE]),
        help="Format of the data; by default, the name and the content of the file decide.",
    )(function)


def unit_option(default: str) -> Callable[[Function], Function]:
    """The option that tells how plain text is cut."""
    return click.option(
        "--unit",
        type=click.Choice(UNITS),
        help=f"What one sequence of raw text is; by default {default}.",
    )


class Batch(NamedTuple):
    """Sequences for a tagger, and the table they came in (without columns for feature text)."""

    data: Corpus | list[Any]
    corpus: Corpus
    labels: list[list[str]] | None = None


@dataclass(frozen=True)
class Source:
    """A file, or ``-``, and how to read it."""

    path: str
    format: str
    columns: tuple[str | None, ...] | None = None
    guessed: bool = False
    unit: str | None = None

    @classmethod
    def of(
        cls, path: str, format: str | None, columns: str | None, unit: str | None = None
    ) -> Source:
        """A source as the command line names it."""
        if format is None and path == "-":
            raise click.UsageError(
                f"standard input has no name that tells its format: give --format, one of "
                f"{', '.join([*FORMATS, CRFSUITE])}"
            )
        if format is None and path.removesuffix(".gz").endswith(f".{CRFSUITE}"):
            format = CRFSUITE
        guessed = format is None
        format = format or format_of(path)
        if columns is not None and not _has_option(format, "columns"):
            raise click.UsageError(f"--columns names the columns of CoNLL files, not of {format}")
        if unit is not None and not _has_option(format, "unit"):
            raise click.UsageError(f"--unit says how plain text is cut, not {format}")
        names = None if columns is None else parse_columns(columns)
        return cls(path, format, names, guessed and columns is None, unit)

    def read(self) -> Corpus:
        """All of a corpus; one without any sequence is refused."""
        with self._explained():
            return read_filled(self.path, self.format, **self._options())

    def read_features(self) -> tuple[list[Any], list[list[str]]]:
        """All feature lists and labels of a file of CRFsuite's format."""
        pairs = list(read_feature_text(self.path))
        if not pairs:
            raise DataError(f"{self.path} holds no sequences")
        return [items for items, _ in pairs], [labels for _, labels in pairs]

    def batches(self, size: int, renamed: Callable[[Corpus], Corpus]) -> Iterator[Batch]:
        """The data in pieces of ``size`` sequences, their columns named by ``renamed``."""
        if self.format == CRFSUITE:
            pairs = iter(read_feature_text(self.path))
            while batch := list(islice(pairs, size)):
                yield _feature_batch(batch)
        else:
            with self._explained():
                for corpus in stream(self.path, self.format, chunk_size=size, **self._options()):
                    corpus = renamed(corpus)
                    yield Batch(corpus, corpus)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Add to an error what a guess may have got wrong."""
        try:
            yield
        except DataError as error:
            if not (self.is_guess_of_text and os.path.exists(self.path)):
                raise
            raise DataError(f"{error}; if this is plain text, say --format text") from None

    @property
    def is_guess_of_text(self) -> bool:
        """Whether this may be plain text: it is called so, and taken for CoNLL."""
        return self.guessed and self.format == "conll" and is_text_name(self.path)

    def _options(self) -> dict[str, Any]:
        given = {"columns": self.columns, "unit": self.unit}
        return {name: value for name, value in given.items() if value is not None}


def is_text_name(path: str) -> bool:
    """Whether a file is called .txt, which plain text and CoNLL files are."""
    return path.removesuffix(".gz").endswith(".txt")


def _has_option(format: str, name: str) -> bool:
    return format in FORMATS and any(one.name == name for one in FORMATS[format].read_options)


def _feature_batch(pairs: Sequence[tuple[list[Any], list[str]]]) -> Batch:
    bounds = [0]
    for items, _ in pairs:
        bounds.append(bounds[-1] + len(items))
    return Batch([items for items, _ in pairs], Corpus({}, bounds), [labels for _, labels in pairs])


def read_all(sources: Iterable[Source]) -> Corpus:
    """Several files as one corpus."""
    return concatenate_files(source.read() for source in sources)
