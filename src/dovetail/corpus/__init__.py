"""Tables of tokens, and the files they come from and go to."""

from dovetail.corpus.brat import read_brat, stream_brat, write_brat
from dovetail.corpus.column import Column
from dovetail.corpus.conll import read_conll, stream_conll, write_conll
from dovetail.corpus.conllu import read_conllu, stream_conllu, write_conllu
from dovetail.corpus.doccano import read_doccano, stream_doccano, write_doccano
from dovetail.corpus.field_xml import read_field_xml, stream_field_xml
from dovetail.corpus.formats import FORMATS, format_of, read, stream
from dovetail.corpus.jsonl import read_jsonl, stream_jsonl, write_jsonl
from dovetail.corpus.label_studio import (
    read_label_studio,
    stream_label_studio,
    write_label_studio,
)
from dovetail.corpus.labels import Span, labels_from_spans, spans
from dovetail.corpus.markup import read_markup, read_markup_spans, stream_markup
from dovetail.corpus.near_duplicates import find_copies, near_duplicates
from dovetail.corpus.offsets import add_offsets
from dovetail.corpus.parquet import read_parquet, stream_parquet, write_parquet
from dovetail.corpus.parserator import read_parserator, stream_parserator, write_parserator
from dovetail.corpus.schemes import (
    SCHEMES,
    AllowedTransitions,
    Scheme,
    allowed_transitions,
    convert,
    detect_scheme,
)
from dovetail.corpus.shards import Shards
from dovetail.corpus.soft import SoftColumn
from dovetail.corpus.span_texts import guess_tokens
from dovetail.corpus.table import Corpus, Sequence
from dovetail.corpus.tei import read_tei, stream_tei
from dovetail.corpus.text import read_text, stream_text
from dovetail.corpus.texts import UNITS, Unit, guess_unit
from dovetail.corpus.tokenizer import tokenize

__all__ = [
    "FORMATS",
    "SCHEMES",
    "UNITS",
    "AllowedTransitions",
    "Column",
    "Corpus",
    "Scheme",
    "Sequence",
    "Shards",
    "SoftColumn",
    "Span",
    "Unit",
    "add_offsets",
    "allowed_transitions",
    "convert",
    "detect_scheme",
    "find_copies",
    "format_of",
    "guess_tokens",
    "guess_unit",
    "labels_from_spans",
    "near_duplicates",
    "read",
    "read_brat",
    "read_conll",
    "read_conllu",
    "read_doccano",
    "read_field_xml",
    "read_jsonl",
    "read_label_studio",
    "read_markup",
    "read_markup_spans",
    "read_parquet",
    "read_parserator",
    "read_tei",
    "read_text",
    "spans",
    "stream",
    "stream_brat",
    "stream_conll",
    "stream_conllu",
    "stream_doccano",
    "stream_field_xml",
    "stream_jsonl",
    "stream_label_studio",
    "stream_markup",
    "stream_parquet",
    "stream_parserator",
    "stream_tei",
    "stream_text",
    "tokenize",
    "write_brat",
    "write_conll",
    "write_conllu",
    "write_doccano",
    "write_jsonl",
    "write_label_studio",
    "write_parquet",
    "write_parserator",
]
