"""Reading a corpus in any known format, told or guessed from the file's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from dovetail.corpus.brat import read_brat, stream_brat, write_brat
from dovetail.corpus.conll import read_conll, stream_conll, write_conll
from dovetail.corpus.conllu import read_conllu, stream_conllu, write_conllu
from dovetail.corpus.doccano import read_doccano, stream_doccano, write_doccano
from dovetail.corpus.jsonl import read_jsonl, stream_jsonl, write_jsonl
from dovetail.corpus.label_studio import (
    read_label_studio,
    stream_label_studio,
    write_label_studio,
)
from dovetail.corpus.markup import read_markup, stream_markup
from dovetail.corpus.parserator import read_parserator, stream_parserator, write_parserator
from dovetail.corpus.table import Corpus
from dovetail.corpus.text import read_text, stream_text
from dovetail.errors import DataError
from dovetail.io.files import PathLike


class Format(NamedTuple):
    """How to read one format, and write it if that can be, and the suffixes it is known by."""

    read: Callable[..., Corpus]
    stream: Callable[..., Iterator[Corpus]]
    suffixes: tuple[str, ...]
    write: Callable[..., None] | None = None


FORMATS: dict[str, Format] = {
    "conll": Format(read_conll, stream_conll, (".conll", ".txt", ".tsv", ".iob"), write_conll),
    "conllu": Format(read_conllu, stream_conllu, (".conllu",), write_conllu),
    "jsonl": Format(read_jsonl, stream_jsonl, (".jsonl", ".ndjson"), write_jsonl),
    "text": Format(read_text, stream_text, ()),
    "markup": Format(read_markup, stream_markup, ()),
    "brat": Format(read_brat, stream_brat, (".ann",), write_brat),
    "doccano": Format(read_doccano, stream_doccano, (), write_doccano),
    "label-studio": Format(read_label_studio, stream_label_studio, (".json",), write_label_studio),
    "parserator": Format(read_parserator, stream_parserator, (".xml",), write_parserator),
}


def read(path: PathLike, format: str | None = None, **options: Any) -> Corpus:
    """Read a corpus; without ``format`` the suffix (before any ``.gz``) tells it.

    ``options`` go to the reader of the format, such as ``columns`` of `read_conll`. Plain text is
    never guessed, since ``.txt`` is the usual suffix of CoNLL files: say ``format="text"``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("EU B-ORG\\n")
    >>> read(path)
    Corpus(1 sequences, 1 tokens: word, label)
    """
    return FORMATS[format_of(path, format)].read(path, **options)


def read_filled(path: PathLike, format: str | None = None, **options: Any) -> Corpus:
    """The same, but a corpus without any token is refused."""
    corpus = read(path, format, **options)
    if not corpus.n_tokens:
        raise DataError(f"{os.fspath(path)} holds no sequences")
    return corpus


def joined(corpora: Iterable[Corpus]) -> Corpus:
    """The corpora of several files as one; they must have the same columns."""
    first, *others = corpora
    for corpus in others:
        if corpus.names != first.names:
            raise DataError(
                f"the files differ in their columns: {', '.join(first.names)} and "
                f"{', '.join(corpus.names)}"
            )
    return Corpus.concatenate([first, *others]) if others else first


def stream(path: PathLike, format: str | None = None, **options: Any) -> Iterator[Corpus]:
    """Read a corpus as a stream of smaller ones; arguments as for `read`, and ``chunk_size``."""
    return FORMATS[format_of(path, format)].stream(path, **options)


def format_of(path: PathLike, format: str | None = None) -> str:
    """The name of the format, told by the suffix of the file if it is not given.

    >>> format_of("news.jsonl.gz")
    'jsonl'
    """
    if format is not None:
        if format not in FORMATS:
            raise DataError(f"there is no format {format!r}; the formats are: {', '.join(FORMATS)}")
        return format
    name = os.fspath(path).lower().removesuffix(".gz")
    suffix = os.path.splitext(name)[1]
    for known, entry in FORMATS.items():
        if suffix in entry.suffixes:
            return known
    raise DataError(
        f"the format of {os.fspath(path)} cannot be told from its name; give one of: "
        f"{', '.join(FORMATS)}"
    )
