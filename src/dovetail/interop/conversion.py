"""Corpora from one tool's files to another's, and what cannot come along."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.corpus import FORMATS, SCHEMES, Corpus, detect_scheme, format_of
from dovetail.corpus.conllu import passed_over
from dovetail.corpus.doccano import KEYS as DOCCANO_KEYS
from dovetail.corpus.formats import Format, read_filled
from dovetail.corpus.placed import placed
from dovetail.corpus.plain import convert_plain
from dovetail.corpus.schemes import Scheme
from dovetail.errors import DataError
from dovetail.interop.losses import CARRIES, Carries, losses
from dovetail.io.files import PathLike, open_text

SPACY = "spacy"
READABLE = (*FORMATS, SPACY)
WRITABLE = (*(name for name, format in FORMATS.items() if format.write is not None), SPACY)
_NOT_TO_STREAM = ("brat", SPACY)  # not one stream of text


@dataclass(frozen=True)
class Conversion:
    """What was written, and ``notes`` on what was not, or was made up."""

    corpus: Corpus
    source_format: str
    target_format: str
    notes: list[str]


def convert(
    source: PathLike,
    target: PathLike,
    source_format: str | None = None,
    target_format: str | None = None,
    *,
    label: str | None = None,
    scheme: Scheme | None = None,
    reading: Mapping[str, Any] | None = None,
    writing: Mapping[str, Any] | None = None,
) -> Conversion:
    """Read a corpus in one format and write it in another; formats are guessed if not given.

    ``label`` is the column of labels, by default "label"; it is called so in what is written.
    ``scheme`` is the one to write the labels in: IOB1, IOB2, IOBES or, for plain labels, "none";
    without it they stay as they are where the format can hold them. ``reading`` and ``writing`` are
    options of the format's reader and writer.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "in.jsonl").write_text('{"text": "EU,  no", "label": [[0, 2, "ORG"]]}')
    >>> done = convert(folder / "in.jsonl", folder / "out.conll")
    >>> print((folder / "out.conll").read_text(), done.source_format, done.notes)
    EU B-ORG
    , O
    no O
    <BLANKLINE>
     doccano ['the text is gone: it reads back with single blanks']
    """
    known = guessed_source(source) if source_format is None else _named(source_format, READABLE)
    wanted = guessed_target(target) if target_format is None else _named(target_format, WRITABLE)
    if known == "brat" and os.fspath(source) == "-":
        raise DataError("brat cannot be read from standard input: name a file or folder")
    if wanted in _NOT_TO_STREAM and os.fspath(target) == "-":
        raise DataError(f"{wanted} cannot be written to standard output: name a file or folder")
    corpus = _read(source, known, dict(reading or {}))
    unread = _unread(source, known)
    made, notes = prepared(corpus, wanted, label, scheme)
    _write(made, target, wanted, dict(writing or {}))
    return Conversion(made, known, wanted, unread + notes)


def prepared(
    corpus: Corpus, target_format: str, label: str | None = None, scheme: Scheme | None = None
) -> tuple[Corpus, list[str]]:
    """A corpus as a format can hold it, and notes on what that changes.

    >>> corpus = Corpus.from_lists({"word": [["Ada"]], "label": [["B-PER"]]})
    >>> prepared(corpus, "parserator")[0].lists("label")
    [['PER']]
    """
    if scheme is not None and scheme not in SCHEMES:
        raise DataError(f"there is no scheme {scheme!r}; choose one of: {', '.join(SCHEMES)}")
    carries = CARRIES[target_format]
    corpus, notes = _with_label_last(corpus, label)
    made_up = 0
    if carries.text and (carries.needs_text or corpus.texts is not None):
        with_places, made_up = placed(corpus)
        corpus = with_places if carries.needs_text or not made_up else corpus
    if scheme is not None and "label" not in corpus.names:
        raise DataError(
            f"there are no labels to write in the scheme {scheme}: say which column has them, of "
            + ", ".join(corpus.names)
        )
    notes += losses(corpus, target_format, kept=scheme)
    if made_up and carries.needs_text:
        notes.append(f"the text of {_count(made_up, 'sequence')} is words and single blanks")
    return _relabelled(corpus, carries, scheme), notes


def _relabelled(corpus: Corpus, carries: Carries, scheme: Scheme | None) -> Corpus:
    """A corpus with its labels in a scheme, or else in one that a format has room for."""
    if "label" not in corpus.names or not corpus.column("label").levels:
        return corpus
    lists = corpus.lists("label")
    found = detect_scheme(lists)
    if scheme is None and carries.labels == "plain":
        scheme = "none"
    if carries.labels == "spans" and (scheme or found) == "none":
        scheme = "IOB2"
    if scheme is None:
        return corpus
    return corpus.with_column("label", [convert_plain(labels, found, scheme) for labels in lists])


def guessed_source(path: PathLike) -> str:
    """The format of a file or folder, by its name and, where names are shared, its lines."""
    name = Path(os.fspath(path))
    if name.is_dir():
        if any(name.glob("*.ann")):
            return "brat"
        raise DataError(f"the format of the folder {name} cannot be told: it has no .ann files")
    if name.suffix == ".txt" and name.with_suffix(".ann").exists():
        return "brat"
    known = _told_by_name(path, READABLE)
    if known == "jsonl" and name.exists() and _is_doccano(path):
        return "doccano"
    return known


def guessed_target(path: PathLike) -> str:
    """The format that a name asks for."""
    return _told_by_name(path, WRITABLE)


def _told_by_name(path: PathLike, formats: tuple[str, ...]) -> str:
    if os.fspath(path).endswith(".spacy"):
        return SPACY
    try:
        return format_of(path)
    except DataError:
        raise DataError(
            f"the format of {os.fspath(path)} cannot be told from its name; choose one of: "
            + ", ".join(formats)
        ) from None


def _is_doccano(path: PathLike) -> bool:
    """Whether the first line that is more than text has labels as doccano does."""
    with open_text(path) as file:
        for line in filter(str.strip, file):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                return False
            if not isinstance(value, dict) or {"tokens", "spans"} & value.keys():
                return False
            if not value.keys().isdisjoint(DOCCANO_KEYS):
                return True
    return False


def _named(name: str, formats: tuple[str, ...]) -> str:
    if name in formats:
        return name
    what = "is read and not written" if name in READABLE else "is not a format"
    raise DataError(f"{name!r} {what}; choose one of: {', '.join(formats)}")


def _format(name: str) -> Format:
    if name != SPACY:
        return FORMATS[name]
    from dovetail.interop.spacy import read_docbin, stream_docbin, write_docbin

    return Format(read_docbin, stream_docbin, (".spacy",), write_docbin)


def _read(path: PathLike, name: str, options: dict[str, Any]) -> Corpus:
    if name != SPACY:
        return read_filled(path, name, **options)
    corpus = _format(name).read(path, **options)
    if not corpus.n_tokens:
        raise DataError(f"{os.fspath(path)} holds no sequences")
    return corpus


def _unread(path: PathLike, name: str) -> list[str]:
    if name != "conllu":
        return []
    if os.fspath(path) == "-":  # which is read only once
        return ["ranges, empty nodes and comments, if any, are passed over"]
    unread = passed_over(path)
    return [f"passed over: {', '.join(unread)}"] if unread else []


def _write(corpus: Corpus, path: PathLike, name: str, options: dict[str, Any]) -> None:
    write = _format(_named(name, WRITABLE)).write
    assert write is not None
    if name == "conll" and any(" " in level for c in corpus.columns.values() for level in c.levels):
        options = {"separator": "\t", **options}
    if name == "parserator" and "label" not in corpus.names:
        raise DataError(
            "parserator's files are labelled tokens: say which column has the labels, of "
            + ", ".join(corpus.names)
        )
    write(corpus, path, **options)


def _with_label_last(corpus: Corpus, label: str | None) -> tuple[Corpus, list[str]]:
    if label is None:
        label = "label" if "label" in corpus.names else None
    if label is None:
        return corpus, []
    column = corpus.column(label)
    replaced = label != "label" and "label" in corpus.names
    others = {n: c for n, c in corpus.columns.items() if n not in (label, "label")}
    moved = Corpus(
        {**others, "label": column},
        corpus.bounds,
        document_bounds=corpus.document_bounds,
        offsets=corpus.offsets,
        texts=corpus.texts,
    )
    return moved, [f"the column label gives way to {label}"] if replaced else []


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
