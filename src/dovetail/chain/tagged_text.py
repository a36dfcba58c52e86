"""Raw texts with the spans that were found in them, by characters."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from dovetail.chain.tagging_html import LabelledSequence, mark_text
from dovetail.corpus import Corpus
from dovetail.corpus.record import Record, RecordGatherer
from dovetail.corpus.texts import Unit, check_unit, cut_lines
from dovetail.corpus.tokenizer import tokenize
from dovetail.data import iterate
from dovetail.errors import DataError

OUTSIDE = "O"


class TextSpan(NamedTuple):
    """What was found in a text: characters from ``start`` up to ``end``, which are ``text``."""

    start: int
    end: int
    text: str
    label: str
    probability: float


class TaggedText(NamedTuple):
    """A text and the spans in it, in their order; of plain labels each token is one, but for O."""

    text: str
    spans: list[TextSpan]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"text": self.text, "spans": [span._asdict() for span in self.spans]}

    def to_html(self) -> str:
        """The text with its spans marked; the less probable, the paler."""
        return mark_text(self.text, self.spans)

    def _repr_html_(self) -> str:
        return self.to_html()


@dataclass(eq=False)
class CutTexts:
    """Texts cut into sequences: of each sequence the text it is of, where in it it begins, its own
    text, and its tokens with their places in that."""

    texts: list[str]
    owners: list[int]
    starts: list[int]
    parts: list[str]
    words: list[list[str]]
    offsets: list[list[tuple[int, int]]]
    document_bounds: list[int] | None
    column: str
    needs_corpus: bool

    @cached_property
    def corpus(self) -> Corpus:
        """The sequences, the words in a column; each text that is not blank is a document."""
        gatherer = RecordGatherer([self.column])
        for part, words, offsets in zip(self.parts, self.words, self.offsets, strict=True):
            gatherer.add(Record({self.column: words}, len(words), False, part, offsets))
        return Corpus(**{**gatherer.parts(), "document_bounds": self.document_bounds})

    @property
    def data(self) -> Corpus | list[list[str]]:
        """What is to be tagged: the words alone, where the model reads nothing else."""
        return self.corpus if self.needs_corpus else self.words

    def place(
        self, taggings: Sequence[LabelledSequence], *, by_spans: bool
    ) -> list[list[TextSpan]]:
        """What was found in each text, from what was found in the sequences."""
        out: list[list[TextSpan]] = [[] for _ in self.texts]
        pieces = zip(self.offsets, taggings, self.owners, self.starts, strict=True)
        for offsets, tagging, owner, start in pieces:
            for first, after, label, probability in _spans(tagging, by_spans):
                begin, end = start + offsets[first][0], start + offsets[after - 1][1]
                text = self.texts[owner][begin:end]
                out[owner].append(TextSpan(begin, end, text, label, probability))
        return out


def cut_texts(
    texts: Iterable[str], unit: Unit, column: str, *, needs_corpus: bool = True
) -> CutTexts:
    """Texts cut into lines, paragraphs or nothing."""
    check_unit(unit)
    given = list(iterate(texts, "give a list of texts, not a single one"))
    owners: list[int] = []
    starts: list[int] = []
    parts: list[str] = []
    bounds = [0]
    for number, text in enumerate(given):
        if not isinstance(text, str):
            raise DataError(f"text {number + 1} is a {type(text).__name__}; give strings")
        at = 0
        for part in _cut(text, unit):
            at = text.index(part, at)  # only white space stands between parts
            parts.append(part)
            owners.append(number)
            starts.append(at)
            at += len(part)
        if len(parts) > bounds[-1]:
            bounds.append(len(parts))
    offsets = [tokenize(part) for part in parts]
    words = [
        [part[start:end] for start, end in places]
        for part, places in zip(parts, offsets, strict=True)
    ]
    documents = None if unit == "document" else bounds
    return CutTexts(given, owners, starts, parts, words, offsets, documents, column, needs_corpus)


def _cut(text: str, unit: Unit) -> Iterable[str]:
    if unit == "document":
        return [text]
    if "\n" not in text and "\r" not in text:  # as most are
        return [text] if text.strip() else []
    return (part for part, _ in cut_lines(io.StringIO(text), unit))


def _spans(tagging: LabelledSequence, by_spans: bool) -> Iterable[tuple[int, int, str, float]]:
    if by_spans:
        return tagging.spans
    labels = zip(tagging.labels, tagging.confidences, strict=True)
    return ((t, t + 1, label, p) for t, (label, p) in enumerate(labels) if label != OUTSIDE)
