"""Files of any format that is read, as documents with what is labelled in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, Literal, get_args

from dovetail.corpus import Corpus
from dovetail.corpus.conll import parse_columns, token_lines
from dovetail.corpus.span_texts import Tokens, find_tokens
from dovetail.corpus.tabular import has_equal_rows, read_rows
from dovetail.corpus.texts import Unit, check_unit, cut_lines
from dovetail.errors import DataError
from dovetail.interop.conversion import FORMATS, READABLE, guess_source_format
from dovetail.io.files import PathLike, open_bytes, open_text
from dovetail.studio.annotation import DEFAULT_LAYER, Annotation, Document
from dovetail.studio.project import Entry, Source
from dovetail.studio.tables import read_labels, scheme_of, to_documents

TEXT, CONLL = "text", "conll"
DocumentUnit = Literal["file", "paragraph", "line"]
DOCUMENT_UNITS: tuple[DocumentUnit, ...] = get_args(DocumentUnit)
LABELS = "label"  # the column that readers put labels in


@dataclass(frozen=True)
class Reading:
    """How files are read: options of `dovetail.read`, for those formats that have them. A
    ``document`` is a file of plain text, or each of its paragraphs or lines; its units are the
    sequences."""

    format: str | None = None
    columns: str | None = None
    document: DocumentUnit = "file"
    unit: Unit = "paragraph"
    tokens: Tokens = "words"

    def options(self, format: str) -> dict[str, Any]:
        """Those that the reader of a format takes."""
        given = {"unit": self.unit, "tokens": self.tokens}
        if self.columns is not None:
            given["columns"] = parse_columns(self.columns)  # type: ignore[assignment]
        if format not in READABLE:
            raise DataError(f"{format!r} is not read; choose one of: {', '.join(READABLE)}")
        names = {option.name for option in FORMATS[format].read_options}
        return {name: value for name, value in given.items() if name in names}


def read_source(path: PathLike, reading: Reading, layers: Iterable[str]) -> Source:
    """A file, or folder, with its documents and the annotations of these layers that it holds."""
    source = _read(path, reading, layers)
    content = sha256()
    for entry in source.entries:
        content.update(repr((entry.document.text, entry.annotations)).encode())
    return replace(source, details={**source.details, "digest": content.hexdigest()})


def _read(path: PathLike, reading: Reading, layers: Iterable[str]) -> Source:
    format = reading.format or _guess_format(path)
    if format == TEXT:
        return Source(str(path), TEXT, tuple(map(Entry, read_text_documents(path, reading))))
    options = reading.options(format)
    corpus = FORMATS[format].read(path, **options)
    if not corpus.n_tokens:
        raise DataError(f"{path} holds no sequences")
    columns = find_layers(corpus, layers)
    schemes = {layer: scheme_of(corpus, column) for layer, column in columns.items()}
    places: Sequence[Any] = [None] * len(corpus)
    details: dict[str, Any] = {"layers": columns, "schemes": schemes}
    content = None
    if format == CONLL and columns:
        places = _lines_of_tokens(path, corpus, options)
        names = options.get("columns") or corpus.names
        details["columns"] = [*names]
        with open_bytes(path) as file:
            content = zlib.compress(file.read())
    entries = []
    taken = set(columns.values())
    for document, sequences in to_documents(corpus, Path(path).name):
        found: dict[str, Annotation] = {}
        for layer, column in columns.items():
            annotation = read_labels(document, [*document.columns[column]], schemes[layer])
            if annotation is not None:
                found[layer] = annotation
        further = {name: v for name, v in document.columns.items() if name not in taken}
        kept = replace(document, columns=further)
        entries.append(Entry(kept, [places[k] for k in sequences], found))
    return Source(str(path), format, tuple(entries), details, content)


def find_layers(corpus: Corpus, layers: Iterable[str]) -> dict[str, str]:
    """The columns that have the labels of these layers: those of their names, and for a layer that
    is alone the one that readers call so."""
    names = tuple(layers) or (DEFAULT_LAYER,)
    found = {name: name for name in names if name in corpus.names}
    if not found and len(names) == 1 and LABELS in corpus.names:
        found = {names[0]: LABELS}
    return found


def labels_in(sources: Iterable[Source]) -> dict[str, list[str]]:
    """The labels of spans that there are in files, for each layer, the most frequent first."""
    counts: dict[str, dict[str, int]] = {}
    for source in sources:
        for entry in source.entries:
            for layer, annotation in entry.annotations.items():
                own = counts.setdefault(layer, {})
                for span in annotation.spans:
                    own[span.label] = own.get(span.label, 0) + 1
    return {
        layer: sorted(own, key=lambda label: (-own[label], label)) for layer, own in counts.items()
    }


def check_labels(sources: Iterable[Source], layers: Mapping[str, Sequence[str]]) -> None:
    """Refuse files with labels that a layer does not have."""
    for source in sources:
        for layer, labels in labels_in([source]).items():
            unknown = [label for label in labels if label not in layers[layer]]
            if unknown:
                raise DataError(
                    f"{source.name} has spans of {', '.join(unknown[:5])}"
                    f"{' ...' if len(unknown) > 5 else ''}, and the layer {layer!r} only "
                    f"{', '.join(layers[layer])}: add these labels, or say with --columns where "
                    "labels are"
                )


def read_text_documents(path: PathLike, reading: Reading) -> list[Document]:
    """A file of plain text as one document, or several."""
    with open_text(path) as file:
        text = file.read().rstrip("\n")
    name = Path(path).name
    parts = [(name, text)]
    if reading.document != "file":
        texts = [part for part, _ in cut_lines(StringIO(text), reading.document)]
        width = len(str(len(texts)))
        parts = [(f"{name} {number:0{width}}", part) for number, part in enumerate(texts, 1)]
    found = [text_document(name, part, reading.unit, reading.tokens) for name, part in parts]
    documents = [document for document in found if document.tokens]
    if not documents:
        raise DataError(f"{path} holds no words")
    return documents


def text_document(name: str, text: str, unit: Unit, tokens: Tokens = "words") -> Document:
    """A text as a document.

    >>> document = text_document("a", "Hello there.\\n\\nBye!", "paragraph")
    >>> document.tokens, document.bounds, document.ranges
    (('Hello', 'there', '.', 'Bye', '!'), (0, 3, 5), ((0, 12), (14, 18)))
    """
    check_unit(unit)
    offsets: list[tuple[int, int]] = []
    bounds = [0]
    ranges: list[tuple[int, int]] = []
    at = 0
    for part, _ in cut_lines(StringIO(text), unit):
        start = text.index(part, at)
        at = start + len(part)
        found = find_tokens(part, tokens)
        if found:
            offsets += [(start + first, start + end) for first, end in found]
            bounds.append(len(offsets))
            ranges.append((start, at))
    words = tuple(text[first:end] for first, end in offsets)
    return Document(0, name, text, words, tuple(offsets), tuple(bounds), tuple(ranges))


def _guess_format(path: PathLike) -> str:
    """The format of a file; one called .txt is plain text, unless it looks like columns."""
    found = guess_source_format(path)
    if found == CONLL and str(path).endswith(".txt") and not has_equal_rows(read_rows(path)):
        return TEXT
    return found


def _lines_of_tokens(path: PathLike, corpus: Corpus, options: Mapping[str, Any]) -> list[list[int]]:
    """The number of the line of each token, by sequences."""
    lines = list(token_lines(path, options.get("columns")))
    if [len(own) for own in lines] != [len(sequence) for sequence in corpus]:
        raise DataError(f"{path}: its tokens cannot be found again by lines; convert it first")
    return lines
