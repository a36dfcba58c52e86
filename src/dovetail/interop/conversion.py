"""Corpora from one tool's files to another's, and what cannot come along."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.corpus import FORMATS as OUR_FORMATS
from dovetail.corpus import SCHEMES, Corpus, detect_scheme
from dovetail.corpus.format import Carries
from dovetail.corpus.formats import guess_format
from dovetail.corpus.offsets import add_offsets
from dovetail.corpus.plain import convert_plain
from dovetail.corpus.schemes import Scheme
from dovetail.errors import DataError
from dovetail.interop.losses import find_losses
from dovetail.interop.spacy import SPACY
from dovetail.io.files import PathLike

FORMATS = {**OUR_FORMATS, "spacy": SPACY}
READABLE = tuple(FORMATS)
WRITABLE = tuple(name for name, format in FORMATS.items() if format.write is not None)


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
    known = _check_name(source_format or guess_source_format(source), READABLE)
    wanted = _check_name(target_format or guess_target_format(target), WRITABLE)
    old, new = FORMATS[known], FORMATS[wanted]
    if not old.from_stdin and os.fspath(source) == "-":
        raise DataError(f"{known} cannot be read from standard input: name a file or folder")
    if not new.to_stdout and os.fspath(target) == "-":
        raise DataError(f"{wanted} cannot be written to standard output: name a file or folder")
    given = old.read(source, **(reading or {}))
    if not given.n_tokens:
        raise DataError(f"{os.fspath(source)} holds no sequences")
    unread = old.find_unread(source)
    made, notes = prepare_corpus(given, wanted, label, scheme)
    assert new.write is not None
    new.write(made, target, **(writing or {}))
    return Conversion(made, known, wanted, unread + notes)


def prepare_corpus(
    corpus: Corpus, target_format: str, label: str | None = None, scheme: Scheme | None = None
) -> tuple[Corpus, list[str]]:
    """A corpus as a format can hold it, and notes on what that changes.

    >>> corpus = Corpus.from_lists({"word": [["Ada"]], "label": [["B-PER"]]})
    >>> prepare_corpus(corpus, "parserator")[0].lists("label")
    [['PER']]
    """
    if scheme is not None and scheme not in SCHEMES:
        raise DataError(f"there is no scheme {scheme!r}; choose one of: {', '.join(SCHEMES)}")
    carries = FORMATS[target_format].carries
    corpus, notes = _with_label_last(corpus, label)
    made_up = 0
    if carries.text and (carries.needs_text or corpus.texts is not None):
        with_places, made_up = add_offsets(corpus)
        corpus = with_places if carries.needs_text or not made_up else corpus
    if scheme is not None and "label" not in corpus.names:
        raise DataError(
            f"there are no labels to write in the scheme {scheme}: say which column has them, of "
            + ", ".join(corpus.names)
        )
    if carries.needs_labels and "label" not in corpus.names:
        raise DataError(
            f"{target_format}'s files are labelled tokens: say which column has the labels, of "
            + ", ".join(corpus.names)
        )
    notes += find_losses(corpus, carries, kept=scheme)
    if made_up and carries.needs_text:
        notes.append(f"the text of {_count(made_up, 'sequence')} is words and single blanks")
    return _convert_labels(corpus, carries, scheme), notes


def _convert_labels(corpus: Corpus, carries: Carries, scheme: Scheme | None) -> Corpus:
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


def guess_source_format(path: PathLike) -> str:
    """The format of a file or folder, by its name and, where names are shared, what is in it."""
    return guess_format(path, FORMATS)


def guess_target_format(path: PathLike) -> str:
    """The format that a name asks for."""
    suffix = os.path.splitext(os.fspath(path).lower().removesuffix(".gz"))[1]
    found = next((key for key, format in FORMATS.items() if suffix in format.suffixes), None)
    if found is None:
        raise DataError(
            f"the format of {os.fspath(path)} cannot be told from its name; choose one of: "
            + ", ".join(WRITABLE)
        )
    return found


def _check_name(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    what = "is read and not written" if name in READABLE else "is not a format"
    raise DataError(f"{name!r} {what}; choose one of: {', '.join(names)}")


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
