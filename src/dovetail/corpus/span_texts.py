"""Texts with labelled spans of characters, as annotation tools keep them, and sequences of tokens.

Brat, doccano and Label Studio differ in how they write this down and in nothing else.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, get_args

from dovetail.corpus.json_spans import parse_spans, snap_to_tokens
from dovetail.corpus.labels import Span, labels_from_spans, spans
from dovetail.corpus.record import Record
from dovetail.corpus.table import Corpus
from dovetail.corpus.table import Sequence as CorpusSequence
from dovetail.corpus.tokenizer import tokenize
from dovetail.errors import DataError

Tokens = Literal["words", "blanks"]
TOKENS: tuple[Tokens, ...] = get_args(Tokens)
TEXTS_LOOKED_AT = 100
_log = logging.getLogger(__name__)
_BETWEEN_BLANKS = re.compile(r"\S+")


def find_tokens(text: str, tokens: Tokens) -> list[tuple[int, int]]:
    """The places of the tokens of a text: words as `tokenize` finds them, or what stands between
    blanks.

    >>> find_tokens("isn't it?", "blanks")
    [(0, 5), (6, 9)]
    """
    if tokens == "blanks":
        return [match.span() for match in _BETWEEN_BLANKS.finditer(text)]
    if tokens == "words":
        return tokenize(text)
    raise DataError(f"text cannot be cut into {tokens!r}: choose words or blanks")


def guess_tokens(corpus: Corpus) -> Tokens | None:
    """How the texts of a corpus were cut, by the first of them; None if in another way.

    >>> guess_tokens(Corpus.from_texts(["It isn't."]))
    'words'
    """
    if corpus.texts is None or corpus.offsets is None:
        return None
    first = corpus[:TEXTS_LOOKED_AT]
    for tokens in TOKENS:
        if all(
            one.offsets is not None and find_tokens(one.text or "", tokens) == _pairs(one.offsets)
            for one in first
        ):
            return tokens
    return None


def _pairs(offsets: Any) -> list[tuple[int, int]]:
    return [(start, end) for start, end in offsets.tolist()]


class SpanReader:
    """Makes records of texts with spans, and counts what it had to change."""

    def __init__(self, path: str, tokens: Tokens) -> None:
        find_tokens("", tokens)
        self._path = path
        self._tokens = tokens
        self._widened = self._empty = 0
        self._document: object = None

    def record(self, text: Any, found: Any, where: str, document: object = None) -> Record | None:
        """One text with its spans, [start, end, label] each, or None where it is not annotated;
        nothing for a text without tokens. Another ``document`` than before opens one."""
        if not isinstance(text, str):
            raise DataError(f"{where}: the text must be a string")
        offsets = find_tokens(text, self._tokens)
        columns: dict[str, list[str | None]] = {"word": [text[a:b] for a, b in offsets]}
        if found is not None:
            snapped, widened = snap_to_tokens(parse_spans(found, len(text), where), offsets, where)
            columns["label"] = [*labels_from_spans(snapped, len(offsets))]
            self._widened += widened
        if not offsets:
            self._empty += 1
            return None
        opens = document is not None and document != self._document
        self._document = document
        return Record(columns, len(offsets), opens, text, offsets)

    def report(self) -> None:
        """Log what was changed."""
        if self._widened:
            _log.warning("%s: %d spans were widened to whole tokens", self._path, self._widened)
        if self._empty:
            _log.warning("%s: %d texts without tokens were left out", self._path, self._empty)


def require_text(corpus: Corpus, what: str) -> None:
    """Refuse a corpus that has no texts to write."""
    if corpus.texts is None or corpus.offsets is None:
        raise DataError(f"{what} holds texts, and this corpus has none with places of tokens in it")


def character_spans(sequence: CorpusSequence, label: str) -> list[Span] | None:
    """The spans of a column in characters of the text; None if no token has a label."""
    if label not in sequence.names or sequence.offsets is None:
        return None
    values = sequence[label]
    if not any(value is not None for value in values):
        return None
    found = spans(values)
    if any(not span.label for span in found):
        raise DataError(f"sequence {sequence.index + 1}: spans of text need names, not just B")
    offsets = sequence.offsets.tolist()
    return [Span(offsets[a][0], offsets[b - 1][1], name) for a, b, name in found]


def document_numbers(corpus: Corpus) -> Sequence[int | None]:
    """The number of each sequence's document, from 1; None if there are no documents."""
    if corpus.document_bounds is None:
        return [None] * len(corpus)
    bounds = corpus.document_bounds.tolist()
    return [
        number
        for number, (first, last) in enumerate(pairwise(bounds), start=1)
        for _ in range(first, last)
    ]
