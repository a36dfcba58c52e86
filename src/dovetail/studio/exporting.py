"""What was labelled, as files of any format that is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.interop.conversion import FORMATS, WRITABLE, prepare_corpus
from dovetail.io.files import atomic_write
from dovetail.studio.annotation import Annotation, Document
from dovetail.studio.exact import is_rewritable, rewrite
from dovetail.studio.importing import CONLL
from dovetail.studio.project import Project, Source
from dovetail.studio.tables import cut_tokens, to_table, write_labels

What = Literal["done", "all"]
WHATS: tuple[What, ...] = get_args(What)
Annotations = Mapping[str, Annotation]
Find = Callable[[int], Annotations]
"""The annotations of a document by layer."""

BY_CHARACTERS = ("brat", "doccano", "label-studio")
"""Formats whose spans are of characters: tokens are cut where such spans were drawn."""


@dataclass(frozen=True)
class Exported:
    """The files that were written, the name that they might have, how many documents are in them,
    and notes on what is not."""

    files: tuple[Path, ...]
    name: str
    documents: int
    notes: tuple[str, ...] = ()


def export(
    project: Project,
    target: Path,
    format: str,
    find: Find,
    *,
    what: What = "done",
    layer: str | None = None,
) -> Exported:
    """Write documents with their labels: those that are done in all layers, or all.

    A CoNLL file that was imported is written as it was read, to the byte, but for labels that were
    changed, if all documents are wanted. ``target`` is a file or, where several are written, a
    folder. ``layer`` is the one whose labels count in a format that has room for one.
    """
    if format not in WRITABLE:
        raise DataError(f"{format!r} is not written; choose one of: {', '.join(WRITABLE)}")
    if what not in WHATS:
        raise DataError(f"choose what to export, {' or '.join(WHATS)}, not {what!r}")
    layers = [one.name for one in project.layers]
    layer = layer or layers[0]
    if layer not in layers:
        raise DataError(f"there is no layer {layer!r}; the layers are: {', '.join(layers)}")
    sources = project.sources()
    whole: list[Source] = []
    if format == CONLL and what == "all":
        whole = [one for one in sources if is_rewritable(one) and _has_columns(one, layers, find)]
    others = [
        entry.document
        for source in sources
        if source not in whole
        for entry in source.entries
        if what == "all" or _is_done(find(entry.document.id), layers)
    ]
    if not whole and not others:
        raise DataError("there is nothing to export: no document is done")
    writers = [_writing_again(source, find) for source in whole]
    wanted = [source.name for source in whole]
    if others:
        corpus = to_labelled(others, find, layers, by_characters=format in BY_CHARACTERS)
        writers.append(_writing(corpus, format, layer))
        wanted.append(f"{project.name}{suffix_of(format)}")
    jobs = list(zip(_names_of_their_own(wanted), writers, strict=True))
    files, notes = [], []
    if len(jobs) > 1:
        if target.exists() and not target.is_dir():
            raise DataError(f"{target} is there already: name a new folder for {len(jobs)} files")
        target.mkdir(parents=True, exist_ok=True)
    for name, write in jobs:
        file = target / name if len(jobs) > 1 else target
        notes += write(file)
        files.append(file)
    count = len(others) + sum(len(source.entries) for source in whole)
    return Exported(tuple(files), jobs[0][0], count, tuple(notes))


def to_labelled(
    documents: Iterable[Document],
    find: Find,
    layers: Iterable[str],
    *,
    by_characters: bool = False,
) -> Corpus:
    """Documents as a corpus with a column of labels for each layer."""
    names = tuple(layers)
    tables: list[Document] = []
    labels: dict[str, list[list[str | None]]] = {name: [] for name in names}
    for document in documents:
        found = {name: find(document.id).get(name, Annotation()) for name in names}
        if by_characters:
            document, found = cut_tokens(document, found)
        tables.append(document)
        for name in names:
            labels[name].append(write_labels(document, found[name]))
    return to_table(tables, labels)


def _is_done(annotations: Annotations, layers: Iterable[str]) -> bool:
    return all(name in annotations and annotations[name].done for name in layers)


def _has_columns(source: Source, layers: Iterable[str], find: Find) -> bool:
    """Whether a file has a column for every layer in which its documents are labelled."""
    known = source.details["layers"]
    return all(
        name in known
        for entry in source.entries
        for name, annotation in find(entry.document.id).items()
        if name in layers and (annotation.spans or annotation.done)
    )


def _writing_again(source: Source, find: Find) -> Callable[[Path], list[str]]:
    def write(path: Path) -> list[str]:
        annotations = {entry.document.id: find(entry.document.id) for entry in source.entries}
        with atomic_write(path) as file:
            file.write(rewrite(source, annotations))
        return []

    return write


def _writing(corpus: Corpus, format: str, layer: str) -> Callable[[Path], list[str]]:
    def write(path: Path) -> list[str]:
        made, notes = prepare_corpus(corpus, format, layer)
        writer = FORMATS[format].write
        assert writer is not None
        writer(made, path)
        return notes

    return write


def _names_of_their_own(paths: Iterable[str]) -> Iterator[str]:
    """Names of files, by those of others, of which no two are the same."""
    taken: set[str] = set()
    for path in paths:
        stem = re.sub(r"[^\w.-]+", "_", Path(path).name).removesuffix(".gz") or "data"
        name, number = stem, 2
        while name in taken:
            name, number = f"{number}-{stem}", number + 1
        taken.add(name)
        yield name


def suffix_of(format: str) -> str:
    """How a file of a format is called; nothing for a folder."""
    return "" if format == "brat" else (FORMATS[format].suffixes or (".jsonl",))[0]
