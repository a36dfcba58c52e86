"""CoNLL files: one token a line, its columns split by tabs or blanks, an empty line after each
sequence, and ``-DOCSTART-`` lines between documents.

A line that holds a tab is split at tabs, where an empty field is a missing value; any other line
is split at runs of blanks. Other white space, such as a no-break space, is part of a token.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NoReturn, TextIO

import numpy as np

from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text, write_text

DOCUMENT_START = "-DOCSTART-"
_WHITE = " \t\r\n"


def read_conll(
    path: PathLike,
    columns: Sequence[str | None] | None = None,
    *,
    separator: str | None = None,
    comments: bool | None = None,
) -> Corpus:
    """Read a CoNLL file (``.gz``: compressed, ``-``: standard input).

    ``columns`` names the columns; ``None`` or ``"_"`` in it skips one. If it is not given, the
    first is "word", the last "label" and those between "column2", "column3" and so on.
    ``separator`` replaces the rule for tabs and blanks above. ``comments`` tells whether lines
    that start with ``#`` and a blank or tab are skipped; by default a line that starts with ``#``
    is skipped if it has another number of fields than the tokens, or no tab where they have tabs,
    so that ``#`` can be a token.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.conll")
    >>> _ = path.write_text("EU B-ORG\\nrejects O\\n\\nYes O\\n")
    >>> read_conll(path, ["word", "ner"]).lists("ner")
    [['B-ORG', 'O'], ['O']]
    """
    columns = None if columns is None else skip_unnamed(columns)
    return to_corpus(_records(path, columns, separator, comments), _named(columns))


def stream_conll(
    path: PathLike,
    columns: Sequence[str | None] | None = None,
    *,
    separator: str | None = None,
    comments: bool | None = None,
    chunk_size: int = CHUNK_SIZE,
) -> Iterator[Corpus]:
    """Read a CoNLL file as a stream of corpora of ``chunk_size`` sequences, in bounded memory."""
    columns = None if columns is None else skip_unnamed(columns)
    records = _records(path, columns, separator, comments)
    return to_chunks(records, chunk_size, _named(columns))


def write_conll(
    corpus: Corpus,
    target: PathLike | TextIO,
    columns: Sequence[str] | None = None,
    *,
    separator: str | None = None,
) -> None:
    """Write a corpus as CoNLL, all columns or the named ones.

    ``separator`` is by default a blank, or a tab where values are missing: a missing value is an
    empty field, which blanks cannot show. Documents are marked by ``-DOCSTART-`` lines; empty
    sequences are left out.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["EU"], ["Yes"]], "ner": [["B-ORG"], ["O"]]})
    >>> write_conll(corpus, sys.stdout)
    EU B-ORG
    <BLANKLINE>
    Yes O
    <BLANKLINE>
    """
    names = corpus.names if columns is None else tuple(columns)
    if not names and corpus.n_tokens:
        raise DataError("a corpus without columns cannot be written as CoNLL")
    separator = _separator_for(corpus, names, separator)
    fields = [_fields(corpus, name, separator) for name in names]
    if fields and DOCUMENT_START in corpus.column(names[0]).levels:
        raise DataError(f"column {names[0]!r}: {DOCUMENT_START} cannot be written as a token")
    opening = separator.join([DOCUMENT_START, *["-X-"] * (len(names) - 2), "O"][: len(names)])
    starts = set() if corpus.document_bounds is None else set(corpus.document_bounds.tolist()[:-1])
    bounds = corpus.bounds.tolist()
    with write_text(target) as file:
        for index in range(len(corpus)):
            if index in starts:
                file.write(f"{opening}\n\n")
            start, end = bounds[index], bounds[index + 1]
            if start < end:
                rows = zip(*(values[start:end] for values in fields), strict=True)
                file.write("".join(separator.join(row) + "\n" for row in rows) + "\n")


def write_converted(corpus: Corpus, target: PathLike | TextIO) -> None:
    """Write a corpus that comes from another format, where values may have blanks in them."""
    has_blanks = any(" " in level for one in corpus.columns.values() for level in one.levels)
    write_conll(corpus, target, separator="\t" if has_blanks else None)


def parse_columns(given: str) -> tuple[str | None, ...]:
    """Columns as the command line names them.

    >>> parse_columns("word,_,ner")
    ('word', None, 'ner')
    """
    return tuple(skip_unnamed([part.strip() for part in given.split(",")]))


def skip_unnamed(columns: Sequence[str | None]) -> list[str | None]:
    """The same names, with None for a column that is to be skipped: ``_``, an empty one, None.

    >>> skip_unnamed(["word", "_", "", "ner"])
    ['word', None, None, 'ner']
    """
    if isinstance(columns, str):
        raise DataError(f"columns is the text {columns!r}; give a list of names")
    return [None if name in ("", "_") else name for name in columns]


def token_lines(path: PathLike, columns: Sequence[str | None] | None = None) -> Iterator[list[int]]:
    """The numbers of the lines that the tokens of each sequence stand on."""
    with open_text(path) as file:
        lines: Iterable[str] = file
        width = 0 if columns is None else len(columns)
        if columns is None:
            lines, width = _sniff_width(file, None)
        for first, block in _blocks(lines):
            numbers: list[int] = []
            tabbed = any("\t" in line for line in block)
            for number, line in enumerate(block, first):
                fields = _split(line, None)
                if fields[0] == DOCUMENT_START:
                    if numbers:
                        yield numbers
                    numbers = []
                elif len(fields) == width and not (
                    tabbed and line.startswith("# ") and "\t" not in line
                ):
                    numbers.append(number)
            if numbers:
                yield numbers


def find_losses(corpus: Corpus) -> list[str]:
    """What a file does not hold: names of columns, and the text between words."""
    lost = []
    usual = ["word", *(f"column{n}" for n in range(2, len(corpus.names))), "label"]
    if list(corpus.names) not in (usual, ["word"]):
        lost.append(f"the columns lose their names, which are {', '.join(corpus.names)}")
    if corpus.texts is not None and any(
        sequence.text != " ".join(word or "" for word in sequence["word"]) for sequence in corpus
    ):
        lost.append("the text is gone: it reads back with single blanks")
    return lost


def _separator_for(corpus: Corpus, names: Sequence[str], wanted: str | None) -> str:
    """The separator that keeps missing values apart from all others, if there are any."""
    missing = {name: corpus.column(name).missing for name in names}
    gaps = [name for name in names if missing[name].any()]
    if not gaps:
        return " " if wanted is None else wanted
    if wanted == " ":
        raise DataError(
            f"column {gaps[0]!r} has missing values, which are empty fields; "
            "write it with another separator, such as a tab"
        )
    empty = np.flatnonzero(np.logical_and.reduce([*missing.values()]))
    if empty.size:
        sequence = int(np.searchsorted(corpus.bounds, empty[0], side="right"))
        token = int(empty[0] - corpus.bounds[sequence - 1]) + 1
        raise DataError(
            f"sequence {sequence}, token {token} has no value in {', '.join(names)} and would read "
            "as a blank line; write another column too"
        )
    return "\t" if wanted is None else wanted


def _fields(corpus: Corpus, name: str, separator: str) -> list[str]:
    column = corpus.column(name)
    for level in column.levels:
        if not level.strip(_WHITE) or separator in level or "\n" in level or "\r" in level:
            raise DataError(
                f"column {name!r}: the value {level!r} cannot be written between "
                f"{separator!r}; choose another separator or change the value"
            )
    return ["" if value is None else value for value in column.values()]


def _named(columns: Sequence[str | None] | None) -> list[str]:
    names = [name for name in columns or () if name is not None]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"the column {name!r} is named twice")
    return names


def _default_names(width: int) -> list[str | None]:
    if width < 2:
        return ["word"]
    return ["word", *(f"column{number}" for number in range(2, width)), "label"]


def _records(
    path: PathLike,
    columns: Sequence[str | None] | None,
    separator: str | None,
    comments: bool | None,
) -> Iterator[Record]:
    if separator == "":
        raise DataError("the separator of a CoNLL file cannot be empty")
    with open_text(path) as file:
        lines: Iterable[str] = file
        if columns is None:
            lines, width = _sniff_width(file, separator)
            columns = _default_names(width)
        yield from _parse(os.fspath(path), lines, columns, separator, comments)


def _sniff_width(file: TextIO, separator: str | None) -> tuple[Iterable[str], int]:
    """The number of fields of the first token, taken from a line without ``#`` if there is one."""
    seen: list[str] = []
    width = 0
    for line in file:
        seen.append(line)
        fields = _split(line, separator)
        if fields and fields[0] != DOCUMENT_START:
            is_plain = not line.startswith("#")
            if is_plain or not width:
                width = len(fields)
            if is_plain:
                break
    return chain(seen, file), width


def _split(line: str, separator: str | None) -> list[str | None]:
    """The fields of a line; none if it is blank."""
    if not line.strip(_WHITE):
        return []
    line = line.rstrip("\n")
    if separator == " " or (separator is None and "\t" not in line):
        return [field for field in line.split(" ") if field]
    return [field or None for field in line.split(separator or "\t")]


def _parse(
    path: str,
    lines: Iterable[str],
    columns: Sequence[str | None],
    separator: str | None,
    comments: bool | None,
) -> Iterator[Record]:
    width = len(columns)
    opens_document = False
    for number, block in _blocks(lines):
        cells = None if comments else _plain_cells(block, width, separator)
        runs: Iterable[tuple[bool, Sequence[str | None]]] = (
            [(False, cells)]
            if cells
            else _odd_runs(path, number, block, columns, separator, comments)
        )
        for after_start, run in runs:
            opens_document |= after_start
            if run:
                named = {name: run[i::width] for i, name in enumerate(columns) if name is not None}
                yield Record(named, len(run) // width, opens_document)
                opens_document = False


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines between blank lines, with the number of the first."""
    number = 0
    block: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.strip(_WHITE):
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


def _plain_cells(block: list[str], width: int, separator: str | None) -> list[str] | None:
    """The cells of a block, row after row, if it is all plain rows; split at once, for speed."""
    text = "".join(block).removesuffix("\n")
    if separator is None:
        separator = "\t" if "\t" in text else " "
    if len(separator) > 1 or set(map(str.count, block, repeat(separator))) != {width - 1}:
        return None
    cells = text.replace("\n", separator).split(separator)
    return None if "" in cells or DOCUMENT_START in cells else cells


def _odd_runs(
    path: str,
    first: int,
    block: list[str],
    columns: Sequence[str | None],
    separator: str | None,
    comments: bool | None,
) -> Iterator[tuple[bool, list[str | None]]]:
    """The cells between the document starts of a block, and whether they come after one."""
    after_start = False
    cells: list[str | None] = []
    tabbed = separator is None and any("\t" in line for line in block)
    for number, line in enumerate(block, first):
        fields = _split(line, separator)
        if comments and line.startswith(("# ", "#\t")):
            continue
        if comments is None and tabbed and line.startswith("# ") and "\t" not in line:
            continue
        if fields[0] == DOCUMENT_START:
            yield after_start, cells
            after_start, cells = True, []
        elif len(fields) == len(columns):
            cells.extend(fields)
        elif comments is not None or not line.startswith("#"):
            _refuse(path, number, fields, columns)
    yield after_start, cells


def _refuse(
    path: str, number: int, fields: Sequence[str | None], columns: Sequence[str | None]
) -> NoReturn:
    expected = ", ".join(name or "(skipped)" for name in columns)
    shown = " ".join(field or "''" for field in fields[:8])
    raise DataError(
        f"{path}:{number}: {len(fields)} fields where {len(columns)} were expected ({expected}): "
        f"{shown[:80]!r}"
    )
