"""CoNLL-U, the format of Universal Dependencies, read with the ``conllu`` package.

The fields become columns of the same names, except FORM, which is "word"; ``_`` is a missing
value. Ranges of multi-word tokens (``3-4``) and empty nodes (``5.1``) are passed over, and so are
comments but two: ``# newdoc`` opens a document, ``# text = ...`` gives the raw text. ``Label=...``
in MISC is the column "label", for labels that CoNLL-U has no field for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from dovetail.corpus.column import Column
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError, DovetailError
from dovetail.io.files import PathLike, open_text, write_text

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_LABEL, _LABEL_KEY = "label", "Label="
_COLUMNS = {"form": "word"} | {name: name for name in _FIELDS if name not in ("id", "form")}
FIELD_COLUMNS = tuple(_COLUMNS.values())


def read_conllu(path: PathLike) -> Corpus:
    """Read a CoNLL-U file with the columns word, lemma, upos, xpos, feats, head, deprel, deps
    and misc.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conllu")
    >>> fields = ["1", "Go", "go", "VERB", "VB", "_", "0", "root", "_", "_"]
    >>> _ = path.write_text("\\t".join(fields) + "\\n\\n")
    >>> read_conllu(path)[0]["upos"]
    ['VERB']
    """
    return to_corpus(_records(path), FIELD_COLUMNS)


def stream_conllu(path: PathLike, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Corpus]:
    """Read a CoNLL-U file as a stream of corpora of ``chunk_size`` sentences."""
    return to_chunks(_records(path), chunk_size, FIELD_COLUMNS)


def write_conllu(
    corpus: Corpus, target: PathLike | TextIO, columns: Mapping[str, str] | None = None
) -> None:
    """Write a corpus as CoNLL-U; fields without a column are ``_``.

    ``columns`` tells which column to take for a field if it is not the one of the same name
    ("word" for form), for instance ``{"upos": "predicted"}``. A column "label" that it does not
    name is written into MISC.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["Go"]], "upos": [["VERB"]]})
    >>> write_conllu(corpus, sys.stdout)  # doctest: +NORMALIZE_WHITESPACE
    1 Go _ VERB _ _ _ _ _ _
    <BLANKLINE>
    """
    for field in columns or {}:
        if field not in _FIELDS[1:]:
            raise DataError(f"CoNLL-U has no field {field!r} to write: {', '.join(_FIELDS[1:])}")
    sources = {
        field: name for field, name in _COLUMNS.items() if field == "form" or name in corpus.columns
    } | dict(columns or {})
    labelled = _LABEL in corpus.columns and _LABEL not in sources.values()
    for name in [*sources.values(), *[_LABEL] * labelled]:
        for level in corpus.column(name).levels:
            if not level.strip() or any(mark in level for mark in ("\t", "\n", "\r", "  ")):
                raise DataError(f"column {name!r}: {level!r} cannot be written as CoNLL-U")
    if labelled:
        corpus, sources = _with_label(corpus, sources.get("misc")), {**sources, "misc": "misc"}
    starts = set() if corpus.document_bounds is None else set(corpus.document_bounds.tolist()[:-1])
    with write_text(target) as file:
        for sequence in corpus:
            if sequence.index in starts:
                file.write("# newdoc\n")
            if not len(sequence):
                continue
            if sequence.text:
                file.write(f"# text = {' '.join(sequence.text.split())}\n")
            values = {field: sequence[name] for field, name in sources.items()}
            for row in range(len(sequence)):
                fields = [values[f][row] or "_" if f in values else "_" for f in _FIELDS[1:]]
                file.write("\t".join([str(row + 1), *fields]) + "\n")
            file.write("\n")


def find_losses(corpus: Corpus) -> list[str]:
    """What a file does not hold of a text."""
    if any(text != " ".join(text.split()) for text in corpus.texts or ()):
        return ["white space in the text becomes single blanks"]
    return []


def find_unread(path: PathLike) -> list[str]:
    """What of a file is not read, as phrases for a person."""
    if os.fspath(path) == "-":  # which is read only once
        return ["ranges, empty nodes and comments, if any, are passed over"]
    ranges = nodes = comments = 0
    with open_text(path) as file:
        for line in file:
            number = line.split("\t", 1)[0]
            if number.startswith("#"):
                key = number[1:].partition("=")[0].strip()
                comments += bool(key) and key not in ("newdoc", "text")
            else:
                ranges += "-" in number
                nodes += "." in number
    counts = {"range": ranges, "empty node": nodes, "comment": comments}
    unread = [f"{n} {what}{'s' * (n > 1)}" for what, n in counts.items() if n]
    return [f"passed over: {', '.join(unread)}"] if unread else []


def _with_label(corpus: Corpus, misc: str | None) -> Corpus:
    """The column "label" as part of the column "misc"."""
    for level in corpus.column(_LABEL).levels:
        if "|" in level:
            raise DataError(f"column {_LABEL!r}: {level!r} cannot stand in the field MISC")
    labels = corpus.column(_LABEL).values()
    others = [None] * len(labels) if misc is None else corpus.column(misc).values()
    together = [_together(*pair) for pair in zip(others, labels, strict=True)]
    return corpus.with_column("misc", Column.from_values(together))


def _together(misc: str | None, label: str | None) -> str | None:
    if label is None:
        return misc
    return f"{_LABEL_KEY}{label}" if misc is None else f"{misc}|{_LABEL_KEY}{label}"


def _label_apart(misc: str | None) -> tuple[str | None, str | None]:
    """What a field MISC has beside the label, and the label."""
    if misc is None or _LABEL_KEY not in misc:
        return misc, None
    parts = misc.split("|")
    label = next((part for part in parts if part.startswith(_LABEL_KEY)), None)
    others = "|".join(part for part in parts if part is not label)
    return others or None, (label or "").removeprefix(_LABEL_KEY) or None


def _records(path: PathLike) -> Iterator[Record]:
    try:
        from conllu import parser
        from conllu.exceptions import ParseException
    except ImportError:
        raise DovetailError(
            "reading CoNLL-U needs the package conllu: pip install conllu"
        ) from None
    where = os.fspath(path)
    parsers = {"id": parser.DEFAULT_FIELD_PARSERS["id"]}
    rows: list[tuple[str | None, ...]] = []
    text: str | None = None
    opens_document = False

    def record() -> Record:
        columns: dict[str, Sequence[str | None]] = dict(
            zip(FIELD_COLUMNS, zip(*rows, strict=True), strict=True)
        )
        apart = [_label_apart(misc) for misc in columns["misc"]]
        if any(label is not None for _, label in apart):
            columns["misc"], columns[_LABEL] = zip(*apart, strict=True)
        return Record(columns, len(rows), opens_document, text)

    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip():
                if rows:
                    yield record()
                    rows, text, opens_document = [], None, False
            elif line.startswith("#"):
                for key, value in parser.parse_comment_line(line):
                    opens_document |= key.split()[0] == "newdoc"
                    text = value if key == "text" else text
            else:
                count = line.count("\t") + 1
                if count != len(_FIELDS):
                    raise DataError(f"{where}:{number}: {count} fields where 10 were expected")
                if "  " in line:  # the package would split here and shift the fields
                    raise DataError(f"{where}:{number}: a field has two blanks in a row")
                try:
                    token = parser.parse_line(line, _FIELDS, parsers)
                except (ParseException, ValueError) as error:
                    raise DataError(f"{where}:{number}: {error}") from None
                if isinstance(token["id"], int):
                    rows.append(_values(token))
                elif token["id"] is None:
                    raise DataError(f"{where}:{number}: the token has no number")
        if rows:
            yield record()


def _values(token: Mapping[str, str]) -> tuple[str | None, ...]:
    form = token["form"]
    return (
        form or None,
        *(
            # An underscore is itself the form and lemma of the token "_", and missing elsewhere.
            None if value == "_" and not (field == "lemma" and form == "_") else value or None
            for field in _COLUMNS
            if field != "form"
            for value in (token[field],)
        ),
    )
