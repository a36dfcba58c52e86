"""All formats of corpora, and reading a corpus in any of them, named or guessed from the file's
name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dovetail.corpus import (
    brat,
    conll,
    conllu,
    doccano,
    field_xml,
    jsonl,
    label_studio,
    markup,
    parquet,
    parserator,
    text,
)
from dovetail.corpus.format import Carries, Format, Option
from dovetail.corpus.span_texts import TOKENS
from dovetail.corpus.table import Corpus
from dovetail.corpus.texts import UNITS
from dovetail.errors import DataError
from dovetail.io.files import PathLike

COLUMNS = Option(
    "columns", "Names of the columns of a CoNLL file.", metavar="A,B,...", parse=conll.parse_columns
)
UNIT = Option("unit", "What of text or brat's is one sequence.", choices=UNITS)
TOKENIZATION = Option(
    "tokens",
    "How the text of brat, doccano, Label Studio and XML is cut: into words, or at blanks only.",
    choices=TOKENS,
)
TAGS = Option(
    "tags",
    "Tags of parserator's XML, by default AddressCollection/AddressString.",
    metavar="ALL/EACH",
    parse=parserator.parse_tags,
)
RESULTS = Option(
    "results",
    "What spans are in Label Studio: annotations, by default, or predictions to be accepted.",
    choices=label_studio.RESULTS,
)
INTERFACE = Option(
    "interface", "Label Studio: write the labelling interface to this file.", metavar="FILE"
)
ELEMENT = Option(
    "element",
    "The elements of XML that are sequences; by default the outermost that hold text.",
    metavar="NAME",
)
SPANS = Carries(("word", "label"), "spans", needs_text=True)

FORMATS: dict[str, Format] = {
    "conll": Format(
        conll.read_conll,
        conll.stream_conll,
        (".conll", ".txt", ".tsv", ".iob"),
        conll.write_converted,
        Carries(text=False, find_other_losses=conll.find_losses),
        read_options=(COLUMNS,),
    ),
    "conllu": Format(
        conllu.read_conllu,
        conllu.stream_conllu,
        (".conllu",),
        conllu.write_conllu,
        Carries((*conllu.FIELD_COLUMNS, "label"), find_other_losses=conllu.find_losses),
        find_unread=conllu.find_unread,
    ),
    "jsonl": Format(
        jsonl.read_jsonl,
        jsonl.stream_jsonl,
        (".jsonl", ".ndjson"),
        jsonl.write_jsonl,
        find_unread=jsonl.find_unread,
    ),
    "text": Format(text.read_text, text.stream_text, read_options=(UNIT,)),
    "markup": Format(markup.read_markup, markup.stream_markup),
    "brat": Format(
        brat.read_brat,
        brat.stream_brat,
        (".ann",),
        brat.write_brat,
        replace(SPANS, unlabelled=False, find_other_losses=brat.find_losses),
        read_options=(UNIT, TOKENIZATION),
        recognizes=brat.recognizes,
        from_stdin=False,
        to_stdout=False,
    ),
    "doccano": Format(
        doccano.read_doccano,
        doccano.stream_doccano,
        write=doccano.write_doccano,
        carries=SPANS,
        read_options=(TOKENIZATION,),
        recognizes=doccano.recognizes,
    ),
    "label-studio": Format(
        label_studio.read_label_studio,
        label_studio.stream_label_studio,
        (".json",),
        label_studio.write_label_studio,
        SPANS,
        read_options=(TOKENIZATION,),
        write_options=(RESULTS, INTERFACE),
    ),
    "parserator": Format(
        parserator.read_parserator,
        parserator.stream_parserator,
        (".xml",),
        parserator.write_parserator,
        Carries(
            ("word", "label"),
            "plain",
            needs_labels=True,
            documents=False,
            find_other_losses=parserator.find_losses,
        ),
        write_options=(TAGS,),
    ),
    "parquet": Format(
        parquet.read_parquet,
        parquet.stream_parquet,
        (parquet.SUFFIX,),
        parquet.write_parquet,
        recognizes=parquet.recognizes,
        find_unread=parquet.find_unread,
        from_stdin=False,
        to_stdout=False,
    ),
    "xml": Format(
        field_xml.read_field_xml,
        field_xml.stream_field_xml,
        read_options=(ELEMENT, TOKENIZATION),
        recognizes=field_xml.recognizes,
    ),
}


def read(path: PathLike, format: str | None = None, **options: Any) -> Corpus:
    """Read a corpus; without ``format`` the suffix (before any ``.gz``) tells it and, where formats
    share one, what is in the file.

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


def concatenate_files(corpora: Iterable[Corpus]) -> Corpus:
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
    """The name of the format, told by the suffix of the file, or what is in it, if it is not given.

    >>> format_of("news.jsonl.gz")
    'jsonl'
    """
    if format is not None:
        if format not in FORMATS:
            raise DataError(f"there is no format {format!r}; the formats are: {', '.join(FORMATS)}")
        return format
    return guess_format(path, FORMATS)


def guess_format(path: PathLike, formats: Mapping[str, Format]) -> str:
    """Which of these formats a file or folder has, by its name and, where names are shared, what is
    in it."""
    place = Path(os.fspath(path))
    suffix = os.path.splitext(os.fspath(path).lower().removesuffix(".gz"))[1]
    for known, entry in formats.items():
        if entry.recognizes(place):
            return known
    for known, entry in formats.items():
        if suffix in entry.suffixes and not os.path.isdir(place):
            return known
    what, why = os.fspath(path), "from its name"
    if os.path.isdir(place):
        what, why = f"the folder {what}", "since it has neither .ann nor .xml nor .parquet files"
    raise DataError(f"the format of {what} cannot be told {why}; give one of: {', '.join(formats)}")
