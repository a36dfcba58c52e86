"""Offsets of the tokens of a corpus in its texts, found or made up where they are not known."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dovetail.corpus.record import Record
from dovetail.corpus.records import to_corpus
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError

Offsets = list[tuple[int, int]]
_WHITE = re.compile(r"\s+")


def find_offsets(words: Sequence[str | None], text: str) -> Offsets | None:
    """Where words stand in a text that has nothing else but white space; None if it has.

    >>> find_offsets(["do", "n't"], "don't")
    [(0, 2), (2, 5)]
    >>> find_offsets(["do", "not"], "don't") is None
    True
    """
    found: Offsets = []
    at = 0
    for word in words:
        start = _next_word(text, at)
        if not word or not text.startswith(word, start):
            return None
        at = start + len(word)
        found.append((start, at))
    return found if _next_word(text, at) == len(text) else None


def _next_word(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return at if found is None else found.end()


def join_words(words: Sequence[str]) -> tuple[str, Offsets]:
    """Words with a blank between them as a text, and where they stand in it."""
    found: Offsets = []
    at = 0
    for word in words:
        found.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), found


def add_offsets(corpus: Corpus) -> tuple[Corpus, int]:
    """A corpus whose tokens all have offsets in a text, and how many texts had to be made up.

    Where the texts are known and the offsets are not, words are looked for in them. Sequences
    whose words are not found one after another get a text of words with single blanks between.

    >>> filled, made_up = add_offsets(Corpus.from_lists({"word": [["Ada", "spoke"]]}))
    >>> filled.texts, filled.offsets.tolist(), made_up
    (('Ada spoke',), [[0, 3], [4, 9]], 1)
    """
    if corpus.texts is not None and corpus.offsets is not None:
        return corpus, 0
    made_up = 0
    records: list[Record] = []
    for sequence in corpus:
        words = sequence["word"]
        text = sequence.text
        offsets = None if text is None else find_offsets(words, text)
        if offsets is None:
            text, offsets = join_words(_present(words, sequence.index))
            made_up += 1
        records.append(Record({}, len(words), text=text, offsets=offsets))
    found = to_corpus(records)
    whole = Corpus(
        corpus.columns,
        corpus.bounds,
        document_bounds=corpus.document_bounds,
        texts=found.texts or (),
        offsets=np.zeros((0, 2), np.int64) if found.offsets is None else found.offsets,
    )
    return whole, made_up


def _present(words: Sequence[str | None], index: int) -> list[str]:
    for number, word in enumerate(words, start=1):
        if not word:
            raise DataError(f"sequence {index + 1}, token {number} has no word to make a text of")
    return [word for word in words if word]
