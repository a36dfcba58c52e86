"""Files tagged into a folder, piece by piece: what is finished stays, and is not done again.

A piece is a file or, of a Parquet file, some of its row groups. Each is written whole or not at
all, and depends on nothing but the model, the options and its own text. So pieces may be tagged in
any order, by any number of processes, after any interruption: the folder is the same in the end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from dovetail import Tagger, __version__
from dovetail.base.executor import Executor, Shared
from dovetail.cli.answers import Request, answer, read_batches, write_answers
from dovetail.cli.inputs import Batch, Source
from dovetail.cli.models import has_spans, load
from dovetail.cli.outputs import OUTPUTS, Shown
from dovetail.cli.outputs.parquet import Found, result_columns, write_tables
from dovetail.corpus import Corpus
from dovetail.corpus.arrow import from_arrow, import_pyarrow, to_arrow
from dovetail.corpus.formats import FORMATS
from dovetail.corpus.parquet import ROW_GROUP, batches, open_parquet, parquet_files, recognizes
from dovetail.errors import DataError
from dovetail.io.files import atomic_write, write_text
from dovetail.io.fingerprint import fingerprint
from dovetail.io.temporary import ABANDONED, remove_abandoned

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

PARQUET = "parquet"
SHOWN_IN_PARQUET = Shown(spans="on request")
JOURNAL = "_dovetail.json"


@dataclass(frozen=True)
class Piece:
    """A part of a file, and the file that it becomes; without row groups, all of it."""

    source: Source
    target: str
    row_groups: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Order:
    """How pieces are to be tagged: by which model, and what is asked of it in which format."""

    model: str
    request: Request
    format: str
    chunk_size: int

    @property
    def content(self) -> dict[str, Any]:
        """All that the output depends on but the pieces themselves."""
        asked = asdict(self.request)
        del asked["format"]
        digest = fingerprint(Path(self.model))
        return {"version": __version__, "model": digest, "format": self.format, **asked}


def find_pieces(sources: Sequence[Source], folder: str, format: str) -> list[Piece]:
    """The pieces of files; of Parquet files, their row groups with at least `ROW_GROUP` rows."""
    pieces: list[Piece] = []
    for source in sources:
        stem = str(Path(folder).absolute() / _stem(source))
        if format == PARQUET and source.format == PARQUET:
            with open_parquet(source.path) as opened:
                facts = opened.metadata
                sizes = [facts.row_group(k).num_rows for k in range(facts.num_row_groups)]
            for number, groups in enumerate(_gather(sizes)):
                pieces.append(Piece(source, f"{stem}-{number:05d}.parquet", groups))
        else:
            suffix = ".parquet" if format == PARQUET else OUTPUTS[format].suffix
            pieces.append(Piece(source, f"{stem}{suffix}"))
    _refuse_same_targets(pieces)
    return pieces


def _refuse_same_targets(pieces: Iterable[Piece]) -> None:
    """Not every file system tells upper from lower case, or ways to write an accent."""
    taken: dict[str, str] = {}
    for piece in pieces:
        name = Path(piece.target).name
        key = normalize("NFC", name).casefold()
        if key in taken:
            names = f"{taken[key]} and {name}, which some systems take for one"
            raise DataError(
                f"several files would be written as {name if taken[key] == name else names}: "
                "tag them into folders of their own"
            )
        taken[key] = name


def expand_folders(paths: Iterable[str]) -> list[str]:
    """Files, and in the place of folders the Parquet files in them."""
    return [
        str(file)
        for path in paths
        for file in (parquet_files(path) if recognizes(Path(path)) else [path])
    ]


class TaggedFolder:
    """A folder of tagged pieces, and a journal of what they were made from and how."""

    def __init__(self, path: str, order: Order, pieces: Sequence[Piece]) -> None:
        self.path = Path(path)
        self.order = order
        self.pieces = pieces
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror or error}") from None
        self._check_journal()
        linked = next((p.target for p in pieces if os.path.islink(p.target)), None)
        if linked is not None:
            raise DataError(
                f"{linked} is a link, which no tagged file is: take it away, or tag into another "
                "folder"
            )
        self.waiting = [piece for piece in pieces if not os.path.exists(piece.target)]

    def _check_journal(self) -> None:
        """Refuse a folder of something else; enter the files that are tagged into it now."""
        journal = self.path / JOURNAL
        order = self.order.content
        described = {source: _describe(source) for source in {p.source for p in self.pieces}}
        sources = {Path(p.target).name: described[p.source] for p in self.pieces}
        if journal.exists():
            try:
                known = json.loads(journal.read_text())
                before, old = known["order"], dict(known["sources"])
            except (OSError, ValueError, TypeError, KeyError, RecursionError):
                raise DataError(f"{journal} is damaged: tag into another folder") from None
            if before != order:
                raise DataError(
                    f"{self.path} was begun with another model, version or options: tag into "
                    "another folder"
                )
            for piece in self.pieces:
                name = Path(piece.target).name
                if old.get(name, sources[name]) != sources[name]:
                    raise DataError(
                        f"{piece.source.path} is not the file that {self.path} has pieces of, or "
                        "is read otherwise: tag into another folder"
                    )
            sources = {**old, **sources}
        elif not all(ABANDONED.fullmatch(file.name) for file in self.path.iterdir()):
            raise DataError(f"{self.path} holds other files: tag into a new folder")
        with atomic_write(journal) as file:
            content = {"order": order, "sources": sources}
            file.write(json.dumps(content, indent=1, sort_keys=True).encode())

    def fill(self, done: Callable[[Piece], None], workers: Executor | None = None) -> None:
        """Tag all pieces that are not there yet, here or by workers that see the same files."""
        if workers is None:
            for piece in self.waiting:
                tag_piece(self.order, piece)
                done(piece)
            return
        order = replace(self.order, model=os.path.abspath(self.order.model))
        pieces = [
            replace(p, source=replace(p.source, path=os.path.abspath(p.source.path)))
            for p in self.waiting
        ]
        given = (Shared((order, pieces)), workers.threads)
        found = workers.each("tag", tag_numbered, range(len(self.waiting)), *given, together=False)
        for piece, _ in zip(self.waiting, found, strict=True):
            done(piece)

    def clean(self) -> None:
        """Remove what processes that were killed have left, also while others went on."""
        remove_abandoned(self.path)


def tag_numbered(number: int, work: Shared[tuple[Order, Sequence[Piece]]], threads: int) -> None:
    """Tag one of many pieces."""
    order, pieces = work.value
    tag_piece(order, pieces[number], threads)


def tag_piece(order: Order, piece: Piece, threads: int | None = None) -> None:
    """Tag one piece; when this returns, its file is there, whole."""
    model = _load_once(order.model, *_identity(order.model), threads)
    try:
        if order.format == PARQUET:
            _write_parquet(model, order, piece)
        else:
            with write_text(piece.target) as file:
                found = read_batches(piece.source, order.chunk_size, model)
                write_answers(model, found, order.request, OUTPUTS[order.format], file)
    except DataError as error:
        if piece.source.path in str(error):
            raise
        raise DataError(f"{piece.source.path}: {error}") from None


def _write_parquet(model: Tagger | Pipeline, order: Order, piece: Piece) -> None:
    request = order.request
    found = Found(
        [] if isinstance(model, Tagger) else model.names,
        request.marginals,
        request.spans and (not isinstance(model, Tagger) or has_spans(model)),
        request.nbest is not None,
    )

    def add(tables: Iterable[tuple[Any, Batch]]) -> Iterator[tuple[Any, dict[str, Any]]]:
        before = 0
        for table, batch in tables:
            yield table, result_columns(found, answer(model, batch, request, before))
            before += len(batch.corpus)

    if piece.row_groups is None:
        nothing = Corpus.from_lists({"word": []})
        read = read_batches(piece.source, order.chunk_size, model)
        read = chain([next(read, Batch(nothing, nothing))], read)
        tables = ((to_arrow(batch.corpus), batch) for batch in read)
        write_tables(add(tables), piece.target)
        return
    with open_parquet(piece.source.path) as opened:
        rows: Iterable[Any] = batches(opened, order.chunk_size, piece.row_groups)
        if not sum(opened.metadata.row_group(k).num_rows for k in piece.row_groups):
            rows = [import_pyarrow().RecordBatch.from_pylist([], opened.schema_arrow)]
        write_tables(add(_with_corpora(rows, piece.source.path)), piece.target)


def _with_corpora(rows: Iterable[Any], path: str) -> Iterator[tuple[Any, Batch]]:
    """Rows, and the corpus that they are: all of them, so that columns fit together."""
    row = 0
    for batch in rows:
        corpus = from_arrow(batch, path, row)
        row += len(batch)
        yield batch, Batch(corpus, corpus)


@lru_cache(maxsize=1)
def _load_once(path: str, _size: int, _changed: int, threads: int | None) -> Tagger | Pipeline:
    model = load(path)
    if threads is not None:
        model.threads = threads
    return model


def _gather(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Row groups that follow one another, together until they have enough rows."""
    together: list[int] = []
    for number, _ in enumerate(sizes):
        together.append(number)
        if sum(sizes[k] for k in together) >= ROW_GROUP:
            yield tuple(together)
            together = []
    if together or not sizes:
        yield tuple(together)


def _stem(source: Source) -> str:
    name = Path(source.path).name.removesuffix(".gz")
    suffixes = (*(FORMATS[source.format].suffixes if source.format in FORMATS else ()), ".txt")
    return next((name.removesuffix(end) for end in suffixes if name.endswith(end)), name)


def _describe(source: Source) -> list[Any]:
    columns = None if source.columns is None else [*source.columns]
    return [*_identity(source.path), source.format, columns, source.unit]


def _identity(path: str) -> list[int]:
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None
    return [found.st_size, found.st_mtime_ns]
