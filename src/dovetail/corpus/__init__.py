"""Tables of tokens, and the files they come from and go to."""

from dovetail.corpus.column import Column
from dovetail.corpus.conll import read_conll, stream_conll, write_conll
from dovetail.corpus.conllu import read_conllu, stream_conllu, write_conllu
from dovetail.corpus.formats import FORMATS, format_of, read, stream
from dovetail.corpus.jsonl import read_jsonl, stream_jsonl, write_jsonl
from dovetail.corpus.labels import Span, labels_from_spans, spans
from dovetail.corpus.markup import read_markup, stream_markup
from dovetail.corpus.schemes import (
    SCHEMES,
    Scheme,
    Transitions,
    allowed_transitions,
    convert,
    detect_scheme,
)
from dovetail.corpus.soft import SoftColumn
from dovetail.corpus.table import Corpus, Sequence
from dovetail.corpus.text import UNITS, Unit, read_text, stream_text, unit_of
from dovetail.corpus.tokenizer import tokenize

__all__ = [
    "FORMATS",
    "SCHEMES",
    "UNITS",
    "Column",
    "Corpus",
    "Scheme",
    "Sequence",
    "SoftColumn",
    "Span",
    "Transitions",
    "Unit",
    "allowed_transitions",
    "convert",
    "detect_scheme",
    "format_of",
    "labels_from_spans",
    "read",
    "read_conll",
    "read_conllu",
    "read_jsonl",
    "read_markup",
    "read_text",
    "spans",
    "stream",
    "stream_conll",
    "stream_conllu",
    "stream_jsonl",
    "stream_markup",
    "stream_text",
    "tokenize",
    "unit_of",
    "write_conll",
    "write_conllu",
    "write_jsonl",
]
